-- What players want of each other (tictac/plugins/privacy/tables.py): "how" is block or mute. And
-- reports to the admins: "chat" is JSON with the last texts of the room. Times are seconds since
-- 1970. A report keeps no name of a removed account.

CREATE TABLE blocks (
    name VARCHAR(20) NOT NULL,
    other VARCHAR(200) NOT NULL,
    how VARCHAR(5) NOT NULL,
    PRIMARY KEY (name, other)
);

CREATE INDEX blocks_by_other ON blocks (other);

CREATE TABLE reports (
    number INTEGER NOT NULL PRIMARY KEY,
    made BIGINT NOT NULL,
    name VARCHAR(200) NOT NULL,
    other VARCHAR(200) NOT NULL,
    why VARCHAR(500) NOT NULL,
    room VARCHAR(100) NOT NULL,
    chat TEXT NOT NULL
);
