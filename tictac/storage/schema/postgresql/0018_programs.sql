-- Submitted programs (tictac/plugins/submissions/tables.py): the versions of each account's program,
-- their files, and the runners that may run them. Times are seconds since 1970. "lease" is the hash
-- of the token with which a runner runs the version until "until". All rows go with the account.

CREATE TABLE programs (
    name VARCHAR(20) NOT NULL,
    number INTEGER NOT NULL,
    series VARCHAR(5) NOT NULL,
    title VARCHAR(40) NOT NULL,
    command VARCHAR(300) NOT NULL,
    build VARCHAR(300) NOT NULL,
    size INTEGER NOT NULL,
    digest VARCHAR(64) NOT NULL,
    pushed BIGINT NOT NULL,
    changed BIGINT NOT NULL,
    -- received, checked, trial, ladder, refused, or replaced
    state VARCHAR(8) NOT NULL,
    report TEXT NOT NULL,
    stderr TEXT NOT NULL,
    games INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    -- A list of objects: the last losses, each with its reason.
    losses TEXT NOT NULL,
    runner VARCHAR(40) NOT NULL,
    lease VARCHAR(64) NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (name, number)
);

CREATE INDEX programs_by_state ON programs (state, pushed);

CREATE INDEX programs_by_lease ON programs (lease);

CREATE TABLE program_files (
    name VARCHAR(20) NOT NULL,
    number INTEGER NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (name, number)
);

CREATE TABLE runners (
    runner VARCHAR(40) NOT NULL PRIMARY KEY,
    hash VARCHAR(64) NOT NULL,
    made BIGINT NOT NULL,
    seen BIGINT NOT NULL
);

CREATE FUNCTION no_programs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM programs WHERE name = OLD.name;
    DELETE FROM program_files WHERE name = OLD.name;
    RETURN OLD;
END
$$;

CREATE TRIGGER no_programs AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION no_programs();
