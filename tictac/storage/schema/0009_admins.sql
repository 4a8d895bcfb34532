-- Accounts that look after the server; who may not come, as 'user' or 'address', until a time in
-- seconds since 1970 (0: for ever); and why connections end, as the code of a refusal.

ALTER TABLE users ADD COLUMN admin INTEGER NOT NULL DEFAULT 0;

ALTER TABLE ended_logins ADD COLUMN why VARCHAR(20) NOT NULL DEFAULT 'account-removed';

CREATE TABLE bans (
    kind VARCHAR(7) NOT NULL,
    name VARCHAR(64) NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (kind, name)
);
