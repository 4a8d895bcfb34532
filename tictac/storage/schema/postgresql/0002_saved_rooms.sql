-- In PostgreSQL bytes are called otherwise.

CREATE TABLE saved_rooms (
    name VARCHAR(1023) NOT NULL PRIMARY KEY,
    content BYTEA NOT NULL
);
