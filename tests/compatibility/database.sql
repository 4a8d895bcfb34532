BEGIN TRANSACTION;
CREATE TABLE bans (
    kind VARCHAR(7) NOT NULL,
    name VARCHAR(64) NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (kind, name)
);
CREATE TABLE ended_logins (
    number BIGINT NOT NULL PRIMARY KEY,
    name VARCHAR(20) NOT NULL
, why VARCHAR(20) NOT NULL DEFAULT 'account-removed');
CREATE TABLE judgements (
    id VARCHAR(16) NOT NULL PRIMARY KEY,
    content TEXT NOT NULL
);
CREATE TABLE last_ended_login (
    number BIGINT NOT NULL
);
INSERT INTO "last_ended_login" VALUES(0);
CREATE TABLE match_players (
    player VARCHAR(200) NOT NULL,
    ended BIGINT NOT NULL,
    match BIGINT NOT NULL,
    seat INTEGER NOT NULL,
    account INTEGER NOT NULL,
    PRIMARY KEY (player, ended, match)
) WITHOUT ROWID;
INSERT INTO "match_players" VALUES('alice',1795471559529,1,0,1);
INSERT INTO "match_players" VALUES('alice',1795471559531,2,0,1);
INSERT INTO "match_players" VALUES('bob',1795471559529,1,1,1);
INSERT INTO "match_players" VALUES('bob',1795471559531,2,1,1);
CREATE TABLE matches (
    number INTEGER PRIMARY KEY,
    id VARCHAR(16) NOT NULL UNIQUE,
    ended BIGINT NOT NULL,
    game VARCHAR(20) NOT NULL,
    private INTEGER NOT NULL,
    winner INTEGER,
    content TEXT NOT NULL
);
INSERT INTO "matches" VALUES(1,'PkHslspt5tC4r0q0',1795471559529,'tictactoe',0,0,'[{"rows":3,"columns":3,"strike":3,"first":"X"},"000000000",["alice","bob"],null,1,null,"won",[[0,0,"0:0"],[1,1,"1:0"],[1,0,"0:1"],[1,1,"1:1"],[1,"0:2"]]]');
INSERT INTO "matches" VALUES(2,'PkHslsO3L78FWqq5',1795471559531,'connectfour',0,1,'[{"columns":7,"rows":7,"pops":true,"repetition":true},"......./......./......./......./......./......./....... R - -",["alice","bob"],null,0,null,"forfeited",[[0,0,"4"],[1,1,"4"],[1,0,"5"],[1,null]]]');
CREATE TABLE rating_aborts (
    player VARCHAR(200) NOT NULL,
    ended BIGINT NOT NULL,
    id VARCHAR(16) NOT NULL,
    PRIMARY KEY (player, ended, id)
);
CREATE TABLE rating_points (
    player VARCHAR(200) NOT NULL,
    ended BIGINT NOT NULL,
    id VARCHAR(16) NOT NULL,
    game VARCHAR(20) NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL, met_provisional INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (player, ended, id)
);
CREATE TABLE rating_turn (
    held INTEGER NOT NULL
);
INSERT INTO "rating_turn" VALUES(0);
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
CREATE TABLE room_events (
    room BIGINT NOT NULL,
    number INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (room, number)
) WITHOUT ROWID;
INSERT INTO "room_events" VALUES(3,1,1.79547155953395318984e+09,'["joined","alice",0]');
INSERT INTO "room_events" VALUES(3,2,1.79547155953433465957e+09,'["joined","bob",1]');
INSERT INTO "room_events" VALUES(4,1,1.7954715595360832215e+09,'["joined","alice",0]');
INSERT INTO "room_events" VALUES(4,2,1795471559.53643,'["joined","bob",1]');
INSERT INTO "room_events" VALUES(4,3,1795471559.53643,'["began"]');
INSERT INTO "room_events" VALUES(4,4,1.79547155953679180148e+09,'["moved",0,"d3"]');
INSERT INTO "room_events" VALUES(4,5,1.79547155953704905512e+09,'["moved",1,"c3"]');
INSERT INTO "room_events" VALUES(4,6,1.79547155953727555276e+09,'["moved",0,"c4"]');
INSERT INTO "room_events" VALUES(4,7,1.79547155953860306737e+09,'["said","alice","hello 😀"]');
INSERT INTO "room_events" VALUES(5,1,1.7954715595375211239e+09,'["joined","alice",0]');
INSERT INTO "room_events" VALUES(5,2,1.79547155953781199452e+09,'["joined","bob",1]');
INSERT INTO "room_events" VALUES(5,3,1.79547155953781199452e+09,'["began"]');
INSERT INTO "room_events" VALUES(5,4,1.79547155953813028332e+09,'["moved",0,"1:1"]');
INSERT INTO "room_events" VALUES(5,5,1.79547155953832769399e+09,'["moved",1,"0:0"]');
INSERT INTO "room_events" VALUES(6,1,1.79547155953892159457e+09,'["joined","alice",0]');
CREATE TABLE rooms (
    id BIGINT NOT NULL PRIMARY KEY,
    format INTEGER NOT NULL,
    name VARCHAR(100) NOT NULL,
    terms TEXT NOT NULL,
    start TEXT NOT NULL
);
INSERT INTO "rooms" VALUES(3,1,'clue','{"game":"clue","options":{"rounds":500},"seats":6,"key":null,"clock":null,"computer":null,"computers":0,"move_timeout":null}','["",[0,1,2,3,4,5],[4,9,18],[[6,11,16],[5,7,8],[0,14,20],[10,12,19],[1,2,3],[13,15,17]],[0,[[17,24],[24,17],[15,0],[10,0],[0,6],[0,19]],"",0,false,null,null,null,null],"turn","",[],[],[],""]');
INSERT INTO "rooms" VALUES(4,1,'running','{"game":"reversi","options":{"size":"8"},"seats":2,"key":null,"clock":null,"computer":null,"computers":0,"move_timeout":null}','......../......../......../...OX.../...XO.../......../......../........ X');
INSERT INTO "rooms" VALUES(5,1,'flipped','{"game":"tictactoe","options":{"rows":3,"columns":3,"strike":3,"first":"X"},"seats":2,"key":null,"clock":null,"computer":null,"computers":0,"move_timeout":null}','000000000');
INSERT INTO "rooms" VALUES(6,1,'waiting','{"game":"nim","options":{"numbers":0,"smallest":1,"largest":20},"seats":2,"key":null,"clock":null,"computer":null,"computers":0,"move_timeout":null}','0:2,2,14,17,4,13,15,5');
CREATE TABLE saved_rooms (
    name VARCHAR(1023) NOT NULL PRIMARY KEY,
    content BLOB NOT NULL
);
CREATE TABLE schema_version (
    version INTEGER NOT NULL
);
INSERT INTO "schema_version" VALUES(11);
CREATE TABLE taken_names (
    name VARCHAR(20) NOT NULL PRIMARY KEY
);
INSERT INTO "taken_names" VALUES('alice');
INSERT INTO "taken_names" VALUES('bob');
CREATE TABLE tokens (
    hash VARCHAR(64) NOT NULL PRIMARY KEY,
    name VARCHAR(20) NOT NULL,
    expires BIGINT NOT NULL
);
INSERT INTO "tokens" VALUES('7bae7eed18ceb6c5abdb6457bd37a8ec7b9a449b0623eb84dd5737aa5f843fc0','alice',1798063559);
INSERT INTO "tokens" VALUES('0d298bb1f2564266d447543fd03470c3014285b61d6eb5723c7d3d9d67df74e1','bob',1798063559);
CREATE TABLE uncounted_matches (
    id VARCHAR(16) NOT NULL PRIMARY KEY
);
INSERT INTO "uncounted_matches" VALUES('PkHslspt5tC4r0q0');
CREATE TABLE users (
    name VARCHAR(20) NOT NULL PRIMARY KEY,
    password_hash VARCHAR(60) NOT NULL
, group_name VARCHAR(40) NOT NULL DEFAULT '', admin INTEGER NOT NULL DEFAULT 0);
INSERT INTO "users" VALUES('alice','$2b$04$DAudeVRXEenpQk/zX6zDAunE6MXVCLJamlMdURJoZAwaiZIr7dUZG','',0);
INSERT INTO "users" VALUES('bob','$2b$04$nNF8m0VE8yQSrF5XDZJ04.LhW3e6p3b7pusSG/VWwc6H.gXdRGULC','',0);
CREATE INDEX matches_by_time ON matches (ended, game);
CREATE INDEX ratings_by_rank ON ratings (game, rating);
CREATE INDEX tokens_by_name ON tokens (name, expires);
CREATE INDEX tokens_by_time ON tokens (expires);
CREATE INDEX users_by_group ON users (group_name);
COMMIT;
PRAGMA user_version = 0;
