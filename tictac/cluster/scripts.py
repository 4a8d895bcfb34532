"""What Redis does in one piece: scripts in Lua, each touching keys of one slot only.

Each is called with its keys and arguments in the order that its comment names. Redis runs
nothing else meanwhile, and what a script wrote is written to the append-only file as a whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from hiredis import pack_command


class Script(NamedTuple):
    """A script and the hash by which Redis knows it."""

    source: str
    digest: str


def _script(source: str) -> Script:
    return Script(source, hashlib.sha1(source.encode()).hexdigest())


WRITE = _script("""
-- room; the version expected, 1 to publish it, how many fields and values follow, then these:
-- the version, and the change under its name in the log, come first. If there is a second key
-- (viewers), viewers' ids and user names follow.
local room = KEYS[1]
if redis.call('HGET', room, 'v') ~= ARGV[1] then
  return redis.call('HGETALL', room)
end
if KEYS[2] then
  local last = 3 + tonumber(ARGV[3])
  redis.call('HSET', KEYS[2], unpack(ARGV, last + 1))
  redis.call('HSET', room, unpack(ARGV, 4, last))
else
  redis.call('HSET', room, unpack(ARGV, 4))
end
if ARGV[2] == '1' then
  redis.call('PUBLISH', room, ARGV[7])
end
return 1
""")
"""1; or, when somebody else has written meanwhile, all fields of the room."""

END = _script("""
-- room, viewers, ended; the version expected, the last publication, milliseconds to keep it.
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then
  return redis.call('HGETALL', KEYS[1])
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3])
return 1
""")
"""The room is over. As WRITE; nothing is published before the name is free (GONE)."""

CREATE = _script("""
-- room, viewers; the claim's number, the token, the room's fields and values.
local version = redis.call('HGET', KEYS[1], 'v')
if version then
  if string.sub(version, 1, #ARGV[2] + 1) == ARGV[2] .. '.' then
    return 1
  end
  if tonumber(string.match(version, '^%d+')) > tonumber(ARGV[1]) then
    return 0
  end
  redis.call('DEL', KEYS[1], KEYS[2])
end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
return 1
""")
"""1: the room is there, also when it was asked for twice. 0: the name was claimed again since.

A room with a lower number than the claim's is what a claim has left that was taken away.
"""

DISCARD = _script("""
-- room, viewers; the token.
local version = redis.call('HGET', KEYS[1], 'v')
if version and string.sub(version, 1, #ARGV[1] + 1) == ARGV[1] .. '.' then
  redis.call('DEL', KEYS[1], KEYS[2])
end
return 1
""")
"""Take away a room that nobody was told of, as its claim is lost."""

CLAIM = _script("""
-- claims, counter; the name, whose claim it is, how many rooms there may be or 0.
local claim = redis.call('HGET', KEYS[1], ARGV[1])
if claim then
  local number, who = string.match(claim, '^c:(%d+):(.*)$')
  return who == ARGV[2] and tonumber(number) or 0
end
local limit = tonumber(ARGV[3])
if limit > 0 and redis.call('HLEN', KEYS[1]) >= limit then
  return -1
end
local number = redis.call('INCR', KEYS[2])
redis.call('HSET', KEYS[1], ARGV[1], 'c:' .. number .. ':' .. ARGV[2])
return number
""")
"""The number of the claim; 0: the name is taken; -1: there are as many rooms as may be."""

CONFIRM = _script("""
-- claims, order, open; the name, the claim's number, 1 if the match hasn't begun.
local claim = redis.call('HGET', KEYS[1], ARGV[1])
if not claim or string.match(claim, '^%a:(%d+):') ~= ARGV[2] then
  return 0
end
if string.sub(claim, 1, 1) == 'c' then
  redis.call('HSET', KEYS[1], ARGV[1], 'm' .. string.sub(claim, 2))
  redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
  if ARGV[3] == '1' then
    redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
  end
end
return 1
""")
"""1: the claimed room is listed. 0: the claim was taken away."""

BEGUN = _script("""
-- claims, order, open; the name, the claim's number, the channel, the publication or nothing.
local claim = redis.call('HGET', KEYS[1], ARGV[1])
if claim and string.match(claim, '^%a:(%d+):') == ARGV[2] then
  redis.call('ZREM', KEYS[3], ARGV[1])
end
if ARGV[4] ~= '' then
  redis.call('PUBLISH', ARGV[3], ARGV[4])
end
return 1
""")
"""The room isn't listed for players any more; only then others are told that it has begun."""

GONE = _script("""
-- claims, order, open; the name, the claim's number, the channel, the publication or nothing.
local claim = redis.call('HGET', KEYS[1], ARGV[1])
local mine = claim and string.match(claim, '^%a:(%d+):') == ARGV[2]
if mine then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
end
if ARGV[4] ~= '' then
  redis.call('PUBLISH', ARGV[3], ARGV[4])
end
return mine and 1 or 0
""")
"""1: the name is free from now on; 0: it was already. Only then others are told of the end."""

BEAT = _script("""
-- nodes, the node's lease; its id, the beginning of leases' keys, milliseconds to live.
redis.call('SADD', KEYS[1], ARGV[1])
local had = redis.call('EXISTS', KEYS[2])
redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
local lapsed = {}
for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if redis.call('EXISTS', ARGV[2] .. node) == 0 then
    table.insert(lapsed, node)
  end
end
local time = redis.call('TIME')
return {had, time[1], time[2], lapsed}
""")
"""The lease is renewed: whether it was there, the time in seconds and microseconds, and
the nodes whose lease has."""

FORGET = _script("""
-- nodes, a node's lease; its id.
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('SREM', KEYS[1], ARGV[1])
end
return 1
""")
"""A node whose lease has lapsed was cleared up after."""

LIVING = _script("""
-- nodes; the beginning of leases' keys.
local living = {}
for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if redis.call('EXISTS', ARGV[1] .. node) == 1 then
    table.insert(living, node)
  end
end
return living
""")
"""The nodes whose leases hold."""

UNCLAIM = _script("""
-- claims; the name, the claim.
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  redis.call('HDEL', KEYS[1], ARGV[1])
end
return 1
""")
"""A name that was claimed, and whose room was never made, is free again."""

ALL = (WRITE, END, CREATE, DISCARD, CLAIM, CONFIRM, BEGUN, GONE, BEAT, FORGET, LIVING, UNCLAIM)


def command(*words: str) -> bytes:
    """A command as Redis reads it."""
    packed: bytes = pack_command(words)  # type: ignore[arg-type]  # its types say one word
    return packed


def call(script: Script, keys: Sequence[str], *arguments: str) -> bytes:
    """The command that runs a script."""
    return command("EVALSHA", script.digest, str(len(keys)), *keys, *arguments)


def load(script: Script) -> bytes:
    """The command that makes a script known."""
    return command("SCRIPT", "LOAD", script.source)
