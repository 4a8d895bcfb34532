-- Only PostgreSQL has several processes, and a file of this name for them. Of these one is active,
-- so a tournament needs no host of its own.

ALTER TABLE tournaments DROP COLUMN host;
ALTER TABLE tournaments DROP COLUMN until;

-- Several lobbies with one database are PostgreSQL's, too; but the statements of these tables are the
-- same for both.

ALTER TABLE tournaments ADD COLUMN lobby VARCHAR(20) NOT NULL DEFAULT 'main';

ALTER TABLE saved_rooms RENAME TO former_rooms;

CREATE TABLE saved_rooms (
    lobby VARCHAR(20) NOT NULL DEFAULT 'main',
    name VARCHAR(1023) NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (lobby, name)
);

INSERT INTO saved_rooms (name, content) SELECT name, content FROM former_rooms;

DROP TABLE former_rooms;
