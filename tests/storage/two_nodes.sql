-- Schema 12 with the rows of a cluster, as pg_dump wrote it: its two nodes were killed in the
-- middle of a match each (den, attic), after one had ended. By hand: "former" of shed, and the cup.
CREATE TABLE bans (kind varchar(7) NOT NULL, name varchar(64) NOT NULL, until bigint NOT NULL);
CREATE TABLE ended_logins (number bigint NOT NULL, name varchar(20) NOT NULL, why varchar(20) DEFAULT 'account-removed'::varchar NOT NULL);
CREATE TABLE judgements (id varchar(16) NOT NULL, content text NOT NULL);
CREATE TABLE last_ended_login (number bigint NOT NULL);
CREATE TABLE match_players (player varchar(200) NOT NULL, ended bigint NOT NULL, match bigint NOT NULL, seat integer NOT NULL,
    account integer NOT NULL);
CREATE TABLE matches (number bigint NOT NULL, id varchar(16) NOT NULL, ended bigint NOT NULL, game varchar(20) NOT NULL, private integer NOT NULL,
    winner integer, content text NOT NULL);
ALTER TABLE matches ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME matches_number_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1);
CREATE TABLE node_salt (salt text NOT NULL);
CREATE TABLE nodes (id text NOT NULL, endpoint text NOT NULL, versions text NOT NULL, settings text NOT NULL, batch bigint NOT NULL, heir text,
    expires timestamptz NOT NULL, secret text DEFAULT ''::text NOT NULL) WITH (fillfactor='10');
CREATE TABLE rating_aborts (player varchar(200) NOT NULL, ended bigint NOT NULL, id varchar(16) NOT NULL);
CREATE TABLE rating_points (player varchar(200) NOT NULL, ended bigint NOT NULL, id varchar(16) NOT NULL, game varchar(20) NOT NULL,
    rating float8 NOT NULL, deviation float8 NOT NULL, met_provisional integer DEFAULT 0 NOT NULL);
CREATE TABLE rating_turn (held integer NOT NULL);
CREATE TABLE ratings (game varchar(20) NOT NULL, player varchar(200) NOT NULL, rating float8 NOT NULL, deviation float8 NOT NULL,
    volatility float8 NOT NULL, matches integer NOT NULL, ended bigint NOT NULL);
CREATE TABLE room_events (room bigint NOT NULL, number integer NOT NULL, at float8 NOT NULL,
    event text NOT NULL) WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000', autovacuum_vacuum_cost_delay='0',
    autovacuum_vacuum_insert_threshold='-1');
CREATE TABLE rooms (id bigint NOT NULL, node text NOT NULL, former text, format integer NOT NULL, name varchar(100) NOT NULL, terms text NOT NULL,
    start text NOT NULL) WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000',
    autovacuum_vacuum_cost_delay='0');
CREATE TABLE saved_rooms (name varchar(1023) NOT NULL, content bytea NOT NULL);
CREATE TABLE schema_version (version integer NOT NULL);
CREATE TABLE taken_names (name varchar(20) NOT NULL);
CREATE TABLE tokens (hash varchar(64) NOT NULL, name varchar(20) NOT NULL, expires bigint NOT NULL);
CREATE TABLE tournament_lines (tournament varchar(13) NOT NULL, number integer NOT NULL, at bigint NOT NULL, line text NOT NULL);
CREATE TABLE tournament_outcomes (tournament varchar(13) NOT NULL, game integer NOT NULL, scores text NOT NULL, how varchar(12) NOT NULL,
    match varchar(16));
CREATE TABLE tournaments (id varchar(13) NOT NULL, state varchar(8) NOT NULL, made bigint NOT NULL, plan text NOT NULL, head text NOT NULL,
    owner varchar(200) DEFAULT ''::varchar NOT NULL, host varchar(40) DEFAULT ''::varchar NOT NULL, until bigint DEFAULT 0 NOT NULL);
CREATE TABLE uncounted_matches (id varchar(16) NOT NULL);
CREATE TABLE users (name varchar(20) NOT NULL, password_hash varchar(60) NOT NULL, group_name varchar(40) DEFAULT ''::varchar NOT NULL,
    admin integer DEFAULT 0 NOT NULL);
INSERT INTO last_ended_login VALUES (0);
INSERT INTO match_players VALUES ('frank', 1795874810840, 1, 1, 1);
INSERT INTO match_players VALUES ('erin', 1795874810840, 1, 0, 1);
INSERT INTO matches OVERRIDING SYSTEM VALUE VALUES (1, 'PkfUyhq3f7SvvU0i', 1795874810840, 'tictactoe', 0, 0,
    '[{"rows":3,"columns":3,"strike":3,"first":"X"},"000000000",["erin","frank"],null,0,null,"won",[[2,0,"1:1"],[3,1,"0:0"],[21,0,"0:2"],[22,1,"1:0"],[24,"2:0"]]]');
INSERT INTO node_salt VALUES ('85ae3bebdf57d44c170cab640d11b075');
INSERT INTO nodes VALUES ('54316096', 'tcp:127.0.0.1:30150', '1', '--max-rooms 256, --max-rooms-per-user 0, --max-room-events 2000, --rejoin-timeout 600.0, --lease 1.0',
    10, NULL, '2026-11-28 14:06:51.923483+00', '225f700ea5cbd1a4887adb1c6da9777b276a37fb084b692b1e1da507098a7c1d');
INSERT INTO nodes VALUES ('58196013', 'tcp:127.0.0.1:32497', '1', '--max-rooms 256, --max-rooms-per-user 0, --max-room-events 2000, --rejoin-timeout 600.0, --lease 1.0',
    4, NULL, '2026-11-28 14:06:51.924947+00', '225f700ea5cbd1a4887adb1c6da9777b276a37fb084b692b1e1da507098a7c1d');
INSERT INTO rating_turn VALUES (0);
INSERT INTO room_events VALUES (622446400279085549, 1, 1795874810.8843796, '["joined","alice",0]');
INSERT INTO room_events VALUES (622446400279085549, 2, 1795874810.8886764, '["joined","bob",1]');
INSERT INTO room_events VALUES (622446400279085549, 3, 1795874810.8886764, '["began"]');
INSERT INTO room_events VALUES (4543377294893260688, 1, 1795874810.917834, '["joined","carol",0]');
INSERT INTO room_events VALUES (4543377294893260688, 2, 1795874810.9196906, '["joined","dave",1]');
INSERT INTO room_events VALUES (4543377294893260688, 3, 1795874810.9196906, '["began"]');
INSERT INTO room_events VALUES (622446400279085549, 4, 1795874810.9228308, '["moved",0,"1:1"]');
INSERT INTO room_events VALUES (4543377294893260688, 4, 1795874810.9230194, '["moved",0,"1:1"]');
INSERT INTO room_events VALUES (4543377294893260689, 1, 1795874810.9237862, '["joined","frank",0]');
INSERT INTO rooms VALUES (622446400279085549, '54316096', NULL, 1, 'den',
    '{"game":"tictactoe","options":{"rows":3,"columns":3,"strike":3,"first":"X"},"seats":2,"key":null,"clock":null,"computer":null,"computers":0,"move_timeout":null}',
    '000000000');
INSERT INTO rooms VALUES (4543377294893260688, '58196013', NULL, 1, 'attic',
    '{"game":"tictactoe","options":{"rows":3,"columns":3,"strike":3,"first":"X"},"seats":2,"key":null,"clock":null,"computer":null,"computers":0,"move_timeout":null}',
    '000000000');
INSERT INTO rooms VALUES (4543377294893260689, '58196013', '17263545', 1, 'shed',
    '{"game":"tictactoe","options":{"rows":3,"columns":3,"strike":3,"first":"X"},"seats":2,"key":null,"clock":null,"computer":null,"computers":0,"move_timeout":null}',
    '000000000');
INSERT INTO schema_version VALUES (12);
INSERT INTO taken_names VALUES ('erin');
INSERT INTO taken_names VALUES ('frank');
INSERT INTO taken_names VALUES ('alice');
INSERT INTO taken_names VALUES ('bob');
INSERT INTO taken_names VALUES ('carol');
INSERT INTO taken_names VALUES ('dave');
INSERT INTO tournaments VALUES ('friday-cup', 'open', 1795874800000, '{}', '{}', 'erin', '54316096', 1795874815000);
INSERT INTO tournament_lines VALUES ('friday-cup', 1, 1795874800000, '["entered","alice"]');
INSERT INTO users VALUES ('erin', '$2b$04$CadV9xjLP6NyWW4/QTNpVOH6N0jpLn3kejq5gNF571wmavpkYoleG', '', 0);
INSERT INTO users VALUES ('frank', '$2b$04$Wb92jRtwEtTnLdMHekad6OeGloTFepytkAoTy57R/uA05R8sBwLqK', '', 0);
INSERT INTO users VALUES ('alice', '$2b$04$2LnApobHOpc5rdRg8Z9WqO0f.eugl7JcoQDyTOzYUl92pzsHsS5mC', '', 0);
INSERT INTO users VALUES ('bob', '$2b$04$cCYtmPpMZmI5sPu.spZOvecTMVhxzIFRaGuUXmNPmZgHaJSqp23bK', '', 0);
INSERT INTO users VALUES ('carol', '$2b$04$FHkjQxu78zTdrEdyrlvU7uToSRZn0ljs0oNXeXX4dSIAvactiWHIW', '', 0);
INSERT INTO users VALUES ('dave', '$2b$04$pjT1s8ND0X04UwOBr8SL.eELyygvpDW1NyGjJ859p.ncC.EohhfGy', '', 0);
SELECT setval('matches_number_seq', 1, true);
ALTER TABLE bans ADD CONSTRAINT bans_pkey PRIMARY KEY (kind, name);
ALTER TABLE ended_logins ADD CONSTRAINT ended_logins_pkey PRIMARY KEY (number);
ALTER TABLE judgements ADD CONSTRAINT judgements_pkey PRIMARY KEY (id);
ALTER TABLE match_players ADD CONSTRAINT match_players_pkey PRIMARY KEY (player, ended, match);
ALTER TABLE matches ADD CONSTRAINT matches_id_key UNIQUE (id);
ALTER TABLE matches ADD CONSTRAINT matches_pkey PRIMARY KEY (number);
ALTER TABLE nodes ADD CONSTRAINT nodes_pkey PRIMARY KEY (id);
ALTER TABLE rating_aborts ADD CONSTRAINT rating_aborts_pkey PRIMARY KEY (player, ended, id);
ALTER TABLE rating_points ADD CONSTRAINT rating_points_pkey PRIMARY KEY (player, ended, id);
ALTER TABLE ratings ADD CONSTRAINT ratings_pkey PRIMARY KEY (game, player);
ALTER TABLE room_events ADD CONSTRAINT room_events_pkey PRIMARY KEY (room, number);
ALTER TABLE rooms ADD CONSTRAINT rooms_name_key UNIQUE (name);
ALTER TABLE rooms ADD CONSTRAINT rooms_pkey PRIMARY KEY (id);
ALTER TABLE saved_rooms ADD CONSTRAINT saved_rooms_pkey PRIMARY KEY (name);
ALTER TABLE taken_names ADD CONSTRAINT taken_names_pkey PRIMARY KEY (name);
ALTER TABLE tokens ADD CONSTRAINT tokens_pkey PRIMARY KEY (hash);
ALTER TABLE tournament_lines ADD CONSTRAINT tournament_lines_pkey PRIMARY KEY (tournament, number);
ALTER TABLE tournament_outcomes ADD CONSTRAINT tournament_outcomes_pkey PRIMARY KEY (tournament, game);
ALTER TABLE tournaments ADD CONSTRAINT tournaments_pkey PRIMARY KEY (id);
ALTER TABLE uncounted_matches ADD CONSTRAINT uncounted_matches_pkey PRIMARY KEY (id);
ALTER TABLE users ADD CONSTRAINT users_pkey PRIMARY KEY (name);
CREATE INDEX matches_by_time ON matches USING btree (ended, number, game);
CREATE INDEX ratings_by_rank ON ratings USING btree (game, rating);
CREATE INDEX tokens_by_name ON tokens USING btree (name, expires);
CREATE INDEX tokens_by_time ON tokens USING btree (expires);
CREATE INDEX tournaments_made ON tournaments USING btree (made, id);
CREATE INDEX users_by_group ON users USING btree (group_name);
