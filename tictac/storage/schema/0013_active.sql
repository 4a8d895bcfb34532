-- The time of the rooms at the last sign of life of their process, in which the times of events are,
-- too (tictac/lobby/journal.py). It stands still while no process has the rooms. So far, times were
-- those of day, and clocks stood still since the last event of their room: bring the last events of
-- all rooms together.

CREATE TABLE served (
    at DOUBLE PRECISION NOT NULL
);

UPDATE room_events SET at = room_events.at + latest.at - own.at
FROM (SELECT room, max(at) AS at FROM room_events GROUP BY room) AS own,
    (SELECT max(at) AS at FROM room_events) AS latest
WHERE own.room = room_events.room;

INSERT INTO served (at) SELECT coalesce(max(at), 0) FROM room_events;

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
