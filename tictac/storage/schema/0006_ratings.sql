-- What players are rated (tictac/ratings/tables.py), and what matches were judged
-- (tictac/judging.py). Times are milliseconds since 1970.

-- Ids of rated matches that haven't been counted: each comes with its match, whoever archives that,
-- and leaves with what came of it.
CREATE TABLE uncounted_matches (
    id VARCHAR(16) NOT NULL PRIMARY KEY
);

-- One row: who counts holds it, so that no two do at once.
CREATE TABLE rating_turn (
    held INTEGER NOT NULL
);

INSERT INTO rating_turn (held) VALUES (0);

CREATE TABLE ratings (
    game VARCHAR(20) NOT NULL,
    player VARCHAR(200) NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    matches INTEGER NOT NULL,
    ended BIGINT NOT NULL,
    PRIMARY KEY (game, player)
);

CREATE INDEX ratings_by_rank ON ratings (game, rating);

CREATE TABLE rating_points (
    player VARCHAR(200) NOT NULL,
    ended BIGINT NOT NULL,
    id VARCHAR(16) NOT NULL,
    game VARCHAR(20) NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (player, ended, id)
);

CREATE TABLE judgements (
    id VARCHAR(16) NOT NULL PRIMARY KEY,
    content TEXT NOT NULL
);
