"""The SQL statements of the journal (tables: accounts/schema/postgresql/0013_active.sql).

A lobby's row of ``active`` has the process that can write, its term, the number of its last batch,
a number that rises with each sign of life, and the time of the rooms at the last sign
(lobby/journal.py). ``$1`` is the process, which is in one row only.
Each batch and the statement that begins a term lock the row, so one of the two waits for the other.
If the batch is second, it finds the row changed and divides by zero, and PostgreSQL undoes its
transaction. (Only reading the row would give the row as it was when the statement began.) Texts
come as one string, separated by a character that JSON never has; numbers come as arrays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tictac.lobby.journal import LASTING_FORMAT, Packed

SEPARATOR = "\x1f"

NOT_HELD = "22012"
"""The SQLSTATE if another process is active, or the row has another batch number."""

# The time of the batch is that of its last line.
_HELD = """held AS (UPDATE active SET batch = $2::bigint, beat = beat + 1,
 at = greatest(at, ($5::float8[])[array_upper($5::float8[], 1)])
 WHERE process = $1 AND batch = $2::bigint - 1 RETURNING 1)"""

_LINES = "(room, number, at, event)"
_KEEP = f"""kept AS (INSERT INTO room_events {_LINES} SELECT * FROM unnest($3::bigint[], $4::int[],
 $5::float8[], string_to_array($6, E'\\x1f')) ON CONFLICT DO NOTHING)"""

_READABLE = "name NOT LIKE 'unreadable:%'"

STATEMENTS = {
    # A batch: its number, the lines.
    "moves": f"WITH {_HELD}, {_KEEP} SELECT 1 / count(*) FROM held",
    # The same, and the rooms that ended.
    "batch": f"""WITH {_HELD}, {_KEEP},
 over AS (DELETE FROM rooms WHERE id = ANY($7::bigint[])),
 past AS (DELETE FROM room_events WHERE room = ANY($7::bigint[]))
 SELECT 1 / count(*) FROM held""",
    # New rooms of a lobby, after the ended ones, whose names are free again; returns the rooms that
    # were inserted.
    "open": """INSERT INTO rooms (id, format, name, terms, start, lobby)
 SELECT id, format, name, terms, coalesce(start, ''), $6 FROM
 unnest($1::int[], $2::bigint[], string_to_array($3, E'\\x1f'), string_to_array($4, E'\\x1f'),
 string_to_array($5, E'\\x1f')) AS made (format, id, name, terms, start)
 ON CONFLICT DO NOTHING RETURNING id""",
    "present": "SELECT id FROM rooms WHERE id = ANY($1::bigint[])",
    # The finished matches of ended rooms, and their players (archive.packed).
    "archive": """WITH new AS (INSERT INTO matches (id, ended, game, private, winner, content)
 SELECT m->>0, (m->>1)::bigint, m->>2, (m->>3)::int, (m->>4)::int, m->>5
 FROM json_array_elements($1::json) m ON CONFLICT DO NOTHING RETURNING id, ended, number),
 rated AS (INSERT INTO uncounted_matches (id) SELECT id FROM new
 JOIN json_array_elements($1::json) m ON id = m->>0 WHERE m->>7 = 'true')
 INSERT INTO match_players (player, ended, match, seat, account)
 SELECT p->>0, ended, number, (p->>2)::int, (p->>3)::int
 FROM json_array_elements($2::json) p JOIN new ON id = p->>1""",
    # The results of games of tournaments.
    "outcomes": """INSERT INTO tournament_outcomes (tournament, game, scores, how, match)
 SELECT o->>0, (o->>1)::int, o->>2, o->>3, o->>4 FROM json_array_elements($1::json) o
 ON CONFLICT DO NOTHING""",
    # The lock waits for a batch that is still under way on a connection that was lost.
    "look": "SELECT process, term, batch FROM active WHERE lobby = $1 FOR UPDATE",
    # The row of a lobby that is new, or that an older database doesn't know. (Without the SELECT,
    # it would wait for a batch that is under way.)
    "enter": """INSERT INTO active (lobby, process, term, batch, beat, seconds)
 SELECT $1::text, '', 0, 0, 0, 0 WHERE NOT EXISTS (SELECT FROM active WHERE lobby = $1)
 ON CONFLICT DO NOTHING""",
    # Whose turn it is, and taking it if there was no sign of life since.
    "whose": "SELECT process, term, beat, seconds FROM active WHERE lobby = $1",
    "take": """UPDATE active SET process = $1, term = term + 1, batch = 0, beat = beat + 1,
 seconds = $4::float8, since = clock_timestamp()
 WHERE lobby = $5 AND (process = $1 OR term = $2::bigint AND beat = $3::bigint)
 RETURNING term, at""",
    "renew": """UPDATE active SET beat = beat + 1, at = $2::float8
 WHERE process = $1 RETURNING 1""",
    "release": """UPDATE active SET process = '', beat = beat + 1, at = $2::float8,
 since = clock_timestamp() WHERE process = $1""",
    "version": "SELECT version FROM schema_version",
    # The next rooms, and their lines as columns (record.PackedRecord).
    "read": f"""SELECT id, format, name, terms, start, numbers, times, events FROM rooms,
 LATERAL (SELECT string_agg(number::text, ' ' ORDER BY number) numbers,
 string_agg(CASE format WHEN {LASTING_FORMAT} THEN (round(at * 1000) - $3::bigint)::bigint::text
 ELSE at::text END, ' ' ORDER BY number) times,
 string_agg(event, E'\\n' ORDER BY number) events FROM room_events WHERE room = id) lines
 WHERE id > $1::bigint AND lobby = $2 AND {_READABLE} ORDER BY id LIMIT 100""",
    # With a name that no room can have, so that the room's own name is free.
    "aside": f"""UPDATE rooms SET name = 'unreadable:' || id || ':' || left(name, 60)
 WHERE id = $1::bigint AND {_READABLE}""",
    # All rooms of the lobby again, in a database that came back older: the later term wins.
    "again": """WITH held AS (UPDATE active SET process = $1, term = $2::bigint,
 batch = $3::bigint, beat = beat + 1, seconds = $4::float8, at = $6::float8,
 since = clock_timestamp() WHERE lobby = $5 AND (process = $1 OR term < $2::bigint) RETURNING 1)
 SELECT 1 / count(*) FROM held""",
    "clear": f"""WITH gone AS (DELETE FROM rooms WHERE format = ANY($1::int[]) AND lobby = $2
 AND {_READABLE} RETURNING id)
 DELETE FROM room_events WHERE room IN (SELECT id FROM gone)""",
    "lines": f"""INSERT INTO room_events {_LINES} SELECT line.* FROM unnest($1::bigint[],
 $2::int[], $3::float8[], string_to_array($4, E'\\x1f')) AS line {_LINES}
 JOIN rooms ON id = room ON CONFLICT DO NOTHING""",
}


def archived(matches: Iterable[Packed]) -> tuple[str, str]:
    """Return finished matches as two texts of JSON: rows, and rows of their players."""
    rows = list(matches)
    return json.dumps(rows), json.dumps([seat for match in rows for seat in match.seats])


def array(numbers: Iterable[float]) -> str:
    """Return numbers as the text of an array."""
    return "{" + ",".join(map(str, numbers)) + "}"
