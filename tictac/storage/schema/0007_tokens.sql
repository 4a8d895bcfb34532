-- What logs in in place of a password (tictac/accounts/tokens.py): of each token its SHA-256, in
-- hexadecimal digits. Times are seconds since 1970.

CREATE TABLE tokens (
    hash VARCHAR(64) NOT NULL PRIMARY KEY,
    name VARCHAR(20) NOT NULL,
    expires BIGINT NOT NULL
);

CREATE INDEX tokens_by_name ON tokens (name, expires);
CREATE INDEX tokens_by_time ON tokens (expires);
