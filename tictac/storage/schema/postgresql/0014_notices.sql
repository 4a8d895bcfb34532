-- Notices to absent players (tictac/plugins/notices/tables.py): where each account wants them, how,
-- those to send, and the server's keys. Times are seconds since 1970; 0: never. All of an account
-- goes with the account, whichever program removes it.

CREATE TABLE notice_contacts (
    -- Random, and in the links of its messages: it proves that a person has read one of them.
    id VARCHAR(24) NOT NULL PRIMARY KEY,
    name VARCHAR(20) NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    channel VARCHAR(8) NOT NULL,
    address VARCHAR(1200) NOT NULL,
    wish VARCHAR(8) NOT NULL,
    added BIGINT NOT NULL,
    -- A contact that isn't confirmed gets nothing. "failed" is why the server gave it up.
    confirmed BIGINT NOT NULL,
    failed VARCHAR(200) NOT NULL,
    -- When it last got a message.
    reached BIGINT NOT NULL
);

CREATE INDEX notice_contacts_by_name ON notice_contacts (name);

CREATE TABLE notice_settings (
    name VARCHAR(20) NOT NULL PRIMARY KEY REFERENCES users (name) ON DELETE CASCADE,
    language VARCHAR(8) NOT NULL,
    zone VARCHAR(64) NOT NULL,
    -- Such as 22:00-07:00; empty: no quiet hours.
    quiet VARCHAR(11) NOT NULL
);

-- A sent row stays for a while, so that an event leads to one message only. "batch" is the id of the
-- message of which a notice is a part, from the first attempt on.
CREATE TABLE notices (
    contact VARCHAR(24) NOT NULL,
    about VARCHAR(200) NOT NULL,
    name VARCHAR(20) NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    channel VARCHAR(8) NOT NULL,
    -- The room, and which of its matches.
    match VARCHAR(150) NOT NULL,
    content TEXT NOT NULL,
    made BIGINT NOT NULL,
    due BIGINT NOT NULL,
    tries INTEGER NOT NULL,
    batch VARCHAR(24) NOT NULL,
    failed VARCHAR(200) NOT NULL,
    sent BIGINT NOT NULL,
    PRIMARY KEY (contact, about)
);

-- Without it, the removal of an account would read all notices.
CREATE INDEX notices_by_name ON notices (name);

CREATE INDEX notices_due ON notices (sent, channel, due);

CREATE TABLE notice_keys (
    what VARCHAR(20) NOT NULL PRIMARY KEY,
    value VARCHAR(200) NOT NULL
);
