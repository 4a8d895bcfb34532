-- Tournaments (tictac/plugins/tournament/hosting/tables.py): their lines, and the outcomes of games
-- that aren't counted yet, which come with the archived match (tictac/archive/tables.py). Times are
-- milliseconds since 1970. "head" is what lists show; "host" may decide "until" then.

CREATE TABLE tournaments (
    id VARCHAR(13) NOT NULL PRIMARY KEY,
    state VARCHAR(8) NOT NULL,
    made BIGINT NOT NULL,
    plan TEXT NOT NULL,
    head TEXT NOT NULL,
    owner VARCHAR(200) NOT NULL DEFAULT '',
    host VARCHAR(40) NOT NULL DEFAULT '',
    until BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX tournaments_made ON tournaments (made, id);

CREATE TABLE tournament_lines (
    tournament VARCHAR(13) NOT NULL,
    number INTEGER NOT NULL,
    at BIGINT NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (tournament, number)
);

CREATE TABLE tournament_outcomes (
    tournament VARCHAR(13) NOT NULL,
    game INTEGER NOT NULL,
    scores TEXT NOT NULL,
    how VARCHAR(12) NOT NULL,
    match VARCHAR(16),
    PRIMARY KEY (tournament, game)
);
