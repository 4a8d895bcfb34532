-- A node's --node-secret as a slow hash (tictac/plugins/cluster/opening.py), which all nodes make with one salt.
-- Empty: a node of an older version, or a process without other nodes.

ALTER TABLE IF EXISTS nodes ADD COLUMN secret TEXT NOT NULL DEFAULT '';

CREATE TABLE node_salt (
    salt TEXT NOT NULL
);

INSERT INTO node_salt (salt) VALUES (md5(random()::text || clock_timestamp()::text));
