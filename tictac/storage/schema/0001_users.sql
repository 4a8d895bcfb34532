-- Plain SQL, for SQLite and PostgreSQL. Where the two differ, a file of the same name in
-- postgresql/ takes the place of the one here.
-- The program sets schema_version to a step's number when it has run the step.

CREATE TABLE schema_version (
    version INTEGER NOT NULL
);

INSERT INTO schema_version (version) VALUES (0);

CREATE TABLE users (
    name VARCHAR(20) NOT NULL PRIMARY KEY,
    password_hash VARCHAR(60) NOT NULL
);
