-- Matches that have ended (tictac/archive/tables.py). Times are milliseconds since 1970; content
-- is what tictac/archive/packed.py writes; winner is a seat.

CREATE TABLE matches (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id VARCHAR(16) NOT NULL UNIQUE,
    ended BIGINT NOT NULL,
    game VARCHAR(20) NOT NULL,
    private INTEGER NOT NULL,
    winner INTEGER,
    content TEXT NOT NULL
);

CREATE INDEX matches_by_time ON matches (ended, number, game);

-- Each name once: of who plays against themselves the seat that has won.
CREATE TABLE match_players (
    player VARCHAR(200) NOT NULL,
    ended BIGINT NOT NULL,
    match BIGINT NOT NULL,
    seat INTEGER NOT NULL,
    account INTEGER NOT NULL,
    PRIMARY KEY (player, ended, match)
);
