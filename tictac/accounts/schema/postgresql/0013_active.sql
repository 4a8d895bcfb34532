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
    since TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 10);

INSERT INTO active (lobby, process, term, batch, beat, seconds) VALUES ('main', '', 0, 0, 0, 0);

DROP TABLE nodes;
DROP TABLE node_salt;
ALTER TABLE rooms DROP COLUMN node, DROP COLUMN former,
    ADD COLUMN lobby VARCHAR(20) NOT NULL DEFAULT 'main',
    DROP CONSTRAINT IF EXISTS rooms_name_key, ADD UNIQUE (lobby, name);
ALTER TABLE tournaments DROP COLUMN host, DROP COLUMN until,
    ADD COLUMN lobby VARCHAR(20) NOT NULL DEFAULT 'main';
ALTER TABLE saved_rooms ADD COLUMN lobby VARCHAR(20) NOT NULL DEFAULT 'main',
    DROP CONSTRAINT saved_rooms_pkey, ADD PRIMARY KEY (lobby, name);
