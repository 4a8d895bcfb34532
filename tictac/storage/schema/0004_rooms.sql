-- The journal of rooms that go on (tictac/lobby/journal.py): as they were made, and the events
-- since, whose texts tictac/lobby/record.py writes. Times are seconds since 1970.

CREATE TABLE rooms (
    id BIGINT NOT NULL PRIMARY KEY,
    format INTEGER NOT NULL,
    name VARCHAR(100) NOT NULL,
    terms TEXT NOT NULL,
    start TEXT NOT NULL
);

CREATE TABLE room_events (
    room BIGINT NOT NULL,
    number INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (room, number)
) WITHOUT ROWID;
