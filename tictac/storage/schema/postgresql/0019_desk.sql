-- The desk of a class (tictac/plugins/desk/tables.py): who teaches which group, codes that log an
-- account in once, rules for marks, and the last logins of accounts in groups. Times are seconds
-- since 1970. The rows with an account's name go with the account.

CREATE TABLE teachers (
    name VARCHAR(20) NOT NULL,
    group_name VARCHAR(40) NOT NULL,
    PRIMARY KEY (name, group_name)
);

CREATE INDEX teachers_by_group ON teachers (group_name);

CREATE TABLE last_logins (
    name VARCHAR(20) NOT NULL PRIMARY KEY,
    seen BIGINT NOT NULL
);

-- The first letters of a code find its row; "hash" is that of all its letters.
CREATE TABLE login_codes (
    selector VARCHAR(4) NOT NULL PRIMARY KEY,
    hash VARCHAR(64) NOT NULL,
    name VARCHAR(20) NOT NULL,
    -- slip, which sets a password, or pair
    kind VARCHAR(4) NOT NULL,
    ends BIGINT NOT NULL,
    tries INTEGER NOT NULL
);

CREATE INDEX login_codes_by_name ON login_codes (name);

-- Matches from "since" on count.
CREATE TABLE mark_rules (
    group_name VARCHAR(40) NOT NULL,
    number INTEGER NOT NULL,
    title VARCHAR(60) NOT NULL,
    rule VARCHAR(200) NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (group_name, number)
);

CREATE FUNCTION no_desk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM teachers WHERE name = OLD.name;
    DELETE FROM last_logins WHERE name = OLD.name;
    DELETE FROM login_codes WHERE name = OLD.name;
    RETURN OLD;
END
$$;

CREATE TRIGGER no_desk AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION no_desk();
