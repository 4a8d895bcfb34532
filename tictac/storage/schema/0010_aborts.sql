-- Rated matches that an account gave up before its opponent had moved (tictac/ratings/tables.py):
-- those of the last hour in which it gave one up. And whether an opponent's rating was provisional
-- when a match counted. Times are milliseconds since 1970.

CREATE TABLE rating_aborts (
    player VARCHAR(200) NOT NULL,
    ended BIGINT NOT NULL,
    id VARCHAR(16) NOT NULL,
    PRIMARY KEY (player, ended, id)
);

ALTER TABLE rating_points ADD COLUMN met_provisional INTEGER NOT NULL DEFAULT 0;
