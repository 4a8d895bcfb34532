-- Past ratings. "last" has the last ten results of a rated player (tictac/ratings/tables.py), the
-- newest last: w, d, or l. It begins empty. And what players of series were rated at the end of a
-- day (tictac/plugins/tournament/ladder/tables.py), in days since 1970, when that changed. "place"
-- is that of a player with games. A player's rows go with the account.

ALTER TABLE ratings ADD COLUMN last VARCHAR(10) NOT NULL DEFAULT '';

CREATE INDEX rating_points_by_game ON rating_points (player, game, ended);

CREATE TABLE series_ratings (
    series VARCHAR(5) NOT NULL,
    name VARCHAR(20) NOT NULL,
    day INTEGER NOT NULL,
    rating INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (series, name, day)
) WITHOUT ROWID;

CREATE INDEX series_ratings_by_name ON series_ratings (name);

CREATE TRIGGER no_series_ratings AFTER DELETE ON users BEGIN
    DELETE FROM series_ratings WHERE name = OLD.name;
END;
