"""The SQL statements of nodes (tables: accounts/schema/postgresql/0004_rooms.sql).

``$1`` is the node. A node may write as long as it has no heir. Each batch and the statement that
makes an heir lock the node's row, so one of the two waits for the other, or skips the row. If the
batch is second, it finds the row changed and divides by zero, and PostgreSQL undoes its
transaction. (Only reading the row would give the row as it was when the statement began.) Texts
come as one string, separated by a character that JSON never has; numbers come as arrays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tictac.archive.packed import Packed

SEPARATOR = "\x1f"

NOT_HELD = "22012"
"""The SQLSTATE if the node has an heir, or its row has another batch number."""

_LEASE = "expires = now() + make_interval(secs => {}::float8)"

_HELD = f"""held AS (UPDATE nodes SET batch = $2::bigint, {_LEASE.format("$3")}
 WHERE id = $1 AND heir IS NULL AND batch = $2::bigint - 1 RETURNING 1)"""

_LINES = "(room, number, at, event)"
_KEEP = f"""kept AS (INSERT INTO room_events {_LINES} SELECT * FROM unnest($4::bigint[], $5::int[],
 $6::float8[], string_to_array($7, E'\\x1f')) ON CONFLICT DO NOTHING)"""

# Living nodes that keep this one from joining: a node at its endpoint, or with other settings.
# Older versions store no secret. A lease that ends later than any can is from before the database's
# clock was set back.
_OTHERS = """heir IS NULL AND expires > now() AND id <> $1 AND CASE WHEN endpoint = $2
 THEN expires <= clock_timestamp() + make_interval(secs => $5::float8)
 ELSE settings <> $3 OR secret NOT IN ('', $4) END"""

STATEMENTS = {
    # A batch: its number, the lease, the lines.
    "moves": f"WITH {_HELD}, {_KEEP} SELECT 1 / count(*) FROM held",
    # The same, and the rooms that ended.
    "batch": f"""WITH {_HELD}, {_KEEP},
 over AS (DELETE FROM rooms WHERE id = ANY($8::bigint[])),
 past AS (DELETE FROM room_events WHERE room = ANY($8::bigint[]))
 SELECT 1 / count(*) FROM held""",
    # New rooms, after the ended ones, whose names are free again; returns those that were inserted.
    "open": """INSERT INTO rooms (id, node, format, name, terms, start)
 SELECT id, $1, $2::int, name, terms, coalesce(start, '') FROM
 unnest($3::bigint[], string_to_array($4, E'\\x1f'),
 string_to_array($5, E'\\x1f'), string_to_array($6, E'\\x1f')) AS made (id, name, terms, start)
 ON CONFLICT DO NOTHING RETURNING id""",
    "present": "SELECT id FROM rooms WHERE node = $1 AND id = ANY($2::bigint[])",
    # The finished matches of ended rooms, and their players (archive.packed).
    "archive": """WITH new AS (INSERT INTO matches (id, ended, game, private, winner, content)
 SELECT m->>0, (m->>1)::bigint, m->>2, (m->>3)::int, (m->>4)::int, m->>5
 FROM json_array_elements($1::json) m ON CONFLICT DO NOTHING RETURNING id, ended, number),
 rated AS (INSERT INTO uncounted_matches (id) SELECT id FROM new
 JOIN json_array_elements($1::json) m ON id = m->>0 WHERE m->>7 = 'true')
 INSERT INTO match_players (player, ended, match, seat, account)
 SELECT p->>0, ended, number, (p->>2)::int, (p->>3)::int
 FROM json_array_elements($2::json) p JOIN new ON id = p->>1""",
    # What came of games of tournaments.
    "outcomes": """INSERT INTO tournament_outcomes (tournament, game, scores, how, match)
 SELECT o->>0, (o->>1)::int, o->>2, o->>3, o->>4 FROM json_array_elements($1::json) o
 ON CONFLICT DO NOTHING""",
    # The lock waits for a batch that is still under way on a connection that was lost.
    "look": "SELECT heir, batch FROM nodes WHERE id = $1 FOR UPDATE",
    # Nodes and leases.
    "lock": "SELECT pg_advisory_xact_lock(127995988959588)",
    "salt": "SELECT salt FROM node_salt",
    "others": f"""SELECT endpoint, settings, extract(epoch FROM expires - now()) FROM nodes
 WHERE {_OTHERS} ORDER BY endpoint = $2 LIMIT 1""",
    "join": f"""INSERT INTO nodes (id, endpoint, settings, secret, versions, batch, expires)
 SELECT $1, $2, $3, $4, $6, 0, now() + make_interval(secs => $5::float8)
 WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE {_OTHERS})
 ON CONFLICT (id) DO UPDATE SET expires = excluded.expires""",
    "forget": "DELETE FROM nodes WHERE heir IS NOT NULL AND expires < now() - interval '7 days'",
    "time": "SELECT extract(epoch FROM clock_timestamp())",
    "renew": f"UPDATE nodes SET {_LEASE.format('$2')} WHERE id = $1 AND heir IS NULL RETURNING 1",
    "nodes": """SELECT id, endpoint, versions, settings, extract(epoch FROM expires - now())
 FROM nodes WHERE heir IS NULL ORDER BY id""",
    "leave": "UPDATE nodes SET expires = 'epoch' WHERE id = $1 AND heir IS NULL",
    # Owners, and taking over the rooms of a node, or of all former nodes at an endpoint.
    "owner": "SELECT node FROM rooms WHERE name = $1",
    "holding": """WITH held AS (UPDATE nodes SET batch = batch WHERE id = $1 AND heir IS NULL
 RETURNING 1) SELECT 1 / count(*) FROM held""",
    "inherit": """UPDATE nodes SET heir = $1 WHERE id = (SELECT id FROM nodes WHERE id = $2
 AND (heir = $1 OR heir IS NULL AND expires < now()) FOR UPDATE SKIP LOCKED) RETURNING id""",
    "succeed": """UPDATE nodes SET heir = $1 WHERE endpoint = $2 AND id <> $1 AND heir IS NULL
 AND EXISTS (SELECT 1 FROM nodes WHERE id = $1)""",
    "move": """UPDATE rooms SET node = $1, former = rooms.node FROM nodes
 WHERE nodes.id = rooms.node AND nodes.heir = $1""",
    # Without an owner, and with a name that no room can have, so the room's own name is free.
    "aside": """UPDATE rooms SET node = '', name = 'unreadable:' || id || ':' || left(name, 60)
 WHERE node = $1 AND id = $2::bigint""",
    "read": """SELECT id, format, name, terms, start, (SELECT string_agg(
 number || ' ' || at || ' ' || event, E'\\x1f' ORDER BY number) FROM room_events WHERE room = id)
 FROM rooms WHERE node = $1 AND ($2 = '' OR former = $2) AND id > $3::bigint
 ORDER BY id LIMIT 100""",
    # All rooms again, in a database that came back older: its rooms of this node or of dead nodes
    # are deleted first.
    "again": """INSERT INTO nodes (id, endpoint, settings, secret, versions, batch, expires)
 SELECT $1, $2, $3, $4, $6, $7::bigint, now() + make_interval(secs => $5::float8)
 ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, expires = excluded.expires
 WHERE nodes.heir IS NULL""",
    "clear": """WITH gone AS (DELETE FROM rooms WHERE node = $1 OR id = ANY($2::bigint[])
 AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = rooms.node AND heir IS NULL
 AND expires > now()) RETURNING id)
 DELETE FROM room_events WHERE room IN (SELECT id FROM gone)""",
    "lines": f"""INSERT INTO room_events {_LINES} SELECT line.* FROM unnest($2::bigint[],
 $3::int[], $4::float8[], string_to_array($5, E'\\x1f')) AS line {_LINES}
 JOIN rooms ON id = room WHERE node = $1 ON CONFLICT DO NOTHING""",
}


def archived(matches: Iterable[Packed]) -> tuple[str, str]:
    """Return finished matches as two texts of JSON: rows, and rows of their players."""
    rows = list(matches)
    return json.dumps(rows), json.dumps([seat for match in rows for seat in match.seats])


def array(numbers: Iterable[float]) -> str:
    """Return numbers as the text of an array."""
    return "{" + ",".join(map(str, numbers)) + "}"
