-- In PostgreSQL what is the lower case of a letter depends on the language: in Turkish another i.

CREATE TABLE taken_names (
    name VARCHAR(20) NOT NULL PRIMARY KEY
);

INSERT INTO taken_names (name) SELECT DISTINCT lower(name COLLATE "C") FROM users;
