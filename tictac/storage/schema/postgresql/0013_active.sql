-- Of several processes with one lobby one is active (tictac/plugins/postgres/turn.py): it has all
-- rooms of the lobby, and writes its row at every batch. Nodes of a cluster, which had a row and
-- rooms each, are no more: all their rooms are those of the lobby "main".

CREATE TABLE active (
    lobby VARCHAR(20) NOT NULL PRIMARY KEY,
    process TEXT NOT NULL,
    -- It rises with each process that becomes active; "batch" is the last one of this term.
    term BIGINT NOT NULL,
    batch BIGINT NOT NULL,
    -- It rises with each sign of life. Another process takes over if it stays for so many seconds.
    beat BIGINT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    -- Since when it is active, or has ended: for people, by the database's clock.
    since TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    -- The time of the rooms at the last sign of life, in which the times of events are, too.
    at DOUBLE PRECISION NOT NULL DEFAULT 0
) WITH (fillfactor = 10);

-- That time stands still while no process is active. So far, times were those of day, and clocks
-- stood still since the last event of their room: bring the last events of all rooms together.
UPDATE room_events SET at = room_events.at + latest.at - own.at
FROM (SELECT room, max(at) AS at FROM room_events GROUP BY room) AS own,
    (SELECT max(at) AS at FROM room_events) AS latest
WHERE own.room = room_events.room;

INSERT INTO active (lobby, process, term, batch, beat, seconds, at)
SELECT 'main', '', 0, 0, 0, 0, coalesce(max(at), 0) FROM room_events;

DROP TABLE nodes;
DROP TABLE node_salt;
ALTER TABLE rooms DROP COLUMN node, DROP COLUMN former,
    ADD COLUMN lobby VARCHAR(20) NOT NULL DEFAULT 'main',
    DROP CONSTRAINT IF EXISTS rooms_name_key, ADD UNIQUE (lobby, name);
ALTER TABLE tournaments DROP COLUMN host, DROP COLUMN until,
    ADD COLUMN lobby VARCHAR(20) NOT NULL DEFAULT 'main';
ALTER TABLE saved_rooms ADD COLUMN lobby VARCHAR(20) NOT NULL DEFAULT 'main',
    DROP CONSTRAINT saved_rooms_pkey, ADD PRIMARY KEY (lobby, name);
