-- The group of each account, such as a class; empty: none.

ALTER TABLE users ADD COLUMN group_name VARCHAR(40) NOT NULL DEFAULT '';

CREATE INDEX users_by_group ON users (group_name);

-- Accounts whose connections are to end, on every server: the newest of them, in the order of their
-- numbers. The last number is a row of its own: who adds one holds it, so that none appears late.

CREATE TABLE ended_logins (
    number BIGINT NOT NULL PRIMARY KEY,
    name VARCHAR(20) NOT NULL
);

CREATE TABLE last_ended_login (
    number BIGINT NOT NULL
);

INSERT INTO last_ended_login (number) VALUES (0);
