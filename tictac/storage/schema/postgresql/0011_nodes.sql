-- The secret of a node as a slow hash, which all nodes make with one salt; empty: none. Step 13 drops
-- both tables, because there are no nodes any more.

-- The first databases with rooms had no nodes, and no unique names.
CREATE TABLE IF NOT EXISTS nodes (id TEXT NOT NULL PRIMARY KEY);
ALTER TABLE rooms ADD COLUMN IF NOT EXISTS node TEXT NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS former TEXT,
    DROP CONSTRAINT IF EXISTS rooms_name_key, ADD CONSTRAINT rooms_name_key UNIQUE (name);

ALTER TABLE nodes ADD COLUMN secret TEXT NOT NULL DEFAULT '';

CREATE TABLE node_salt (
    salt TEXT NOT NULL
);

INSERT INTO node_salt (salt) VALUES (md5(random()::text || clock_timestamp()::text));
