-- Accounts that solved a puzzle on its day (tictac/plugins/puzzles/tables.py), for their streaks. The
-- rows go with the account.

CREATE TABLE puzzle_solvers (
    name VARCHAR(20) NOT NULL,
    day VARCHAR(10) NOT NULL,
    game VARCHAR(32) NOT NULL,
    PRIMARY KEY (name, day, game)
);
