-- Of several processes one is active (tictac/plugins/postgres/turn.py): it has all rooms, and writes
-- its row at every batch. Nodes of a cluster, which had a row and rooms each, are no more.

CREATE TABLE active (
    process TEXT NOT NULL,
    -- It rises with each process that becomes active; "batch" is the last one of this term.
    term BIGINT NOT NULL,
    batch BIGINT NOT NULL,
    -- It rises with each sign of life. Another process takes over if it stays for so many seconds.
    beat BIGINT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL
) WITH (fillfactor = 10);

INSERT INTO active (process, term, batch, beat, seconds) VALUES ('', 0, 0, 0, 0);

DROP TABLE nodes;
DROP TABLE node_salt;
ALTER TABLE rooms DROP COLUMN node, DROP COLUMN former;
ALTER TABLE tournaments DROP COLUMN host, DROP COLUMN until;
