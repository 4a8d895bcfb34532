-- The journal of rooms that go on (tictac/lobby/journal.py): as they were made, and the events
-- since, whose texts tictac/lobby/record.py writes. Times are seconds since 1970. And the nodes
-- that rooms belong to (tictac/plugins/cluster/store.py): each has a row that it writes at every batch.

CREATE TABLE nodes (
    id TEXT NOT NULL PRIMARY KEY,
    endpoint TEXT NOT NULL,
    versions TEXT NOT NULL,
    settings TEXT NOT NULL,
    -- Its last batch; and who has taken its rooms over, after which it may write nothing more.
    batch BIGINT NOT NULL,
    heir TEXT,
    expires TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE rooms (
    id BIGINT NOT NULL PRIMARY KEY,
    node TEXT NOT NULL,
    -- Whom it was taken over from.
    former TEXT,
    format INTEGER NOT NULL,
    name VARCHAR(100) NOT NULL UNIQUE,
    terms TEXT NOT NULL,
    start TEXT NOT NULL
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_cost_delay = 0
);

-- Rows come at each move and go with the room.
CREATE TABLE room_events (
    room BIGINT NOT NULL,
    number INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (room, number)
) WITH (
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_threshold = -1
);
