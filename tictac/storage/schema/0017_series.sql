-- Series of tournaments (tictac/plugins/ladder/tables.py): who takes part, which tournaments belong
-- to them, and the sums of the games of each pair in tournaments that are over. Times are seconds
-- since 1970. A player's rows go with the account; a level of the computer is a player ":LEVEL".

CREATE TABLE series (
    id VARCHAR(5) NOT NULL PRIMARY KEY,
    -- open, frozen, or over
    state VARCHAR(8) NOT NULL,
    made BIGINT NOT NULL,
    plan TEXT NOT NULL
);

CREATE TABLE series_players (
    series VARCHAR(5) NOT NULL,
    name VARCHAR(20) NOT NULL,
    version VARCHAR(40) NOT NULL,
    entered BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    -- An object: for each reason, how many games were lost for it.
    losses TEXT NOT NULL,
    PRIMARY KEY (series, name)
);

CREATE INDEX series_players_by_name ON series_players (name);

-- "counted": its games are in the sums.
CREATE TABLE series_tournaments (
    tournament VARCHAR(13) NOT NULL PRIMARY KEY,
    series VARCHAR(5) NOT NULL,
    kind VARCHAR(8) NOT NULL,
    counted INTEGER NOT NULL
);

CREATE INDEX series_tournaments_by_series ON series_tournaments (series, counted);

-- "one" comes before "other". "fresh": the games since one of them had another version.
CREATE TABLE series_pairs (
    series VARCHAR(5) NOT NULL,
    one VARCHAR(20) NOT NULL,
    other VARCHAR(20) NOT NULL,
    won INTEGER NOT NULL,
    drawn INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    fresh INTEGER NOT NULL,
    PRIMARY KEY (series, one, other)
);

CREATE INDEX series_pairs_by_one ON series_pairs (one);

CREATE INDEX series_pairs_by_other ON series_pairs (other);

CREATE TRIGGER no_series AFTER DELETE ON users BEGIN
    DELETE FROM series_players WHERE name = OLD.name;
    DELETE FROM series_pairs WHERE one = OLD.name;
    DELETE FROM series_pairs WHERE other = OLD.name;
END;
