-- Names that differ only in case are one from now on: what is taken, in lower case. The accounts
-- that have such names already stay.

CREATE TABLE taken_names (
    name VARCHAR(20) NOT NULL PRIMARY KEY
);

INSERT INTO taken_names (name) SELECT DISTINCT lower(name) FROM users;
