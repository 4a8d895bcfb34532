-- Puzzles (tictac/plugins/puzzles/tables.py): one for each day and game. A day is like 2026-11-29.

CREATE TABLE puzzles (
    day VARCHAR(10) NOT NULL,
    game VARCHAR(32) NOT NULL,
    -- JSON: the position, and the solution.
    content TEXT NOT NULL,
    PRIMARY KEY (day, game)
);
