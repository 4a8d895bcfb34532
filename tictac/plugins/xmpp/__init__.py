"""All games by Multi-User Gaming (MUG), chat, and Multi-User Chat (MUC).

Source: docs/reference/xmpp.md. Where the two proposals contradict themselves or are silent:

- ``paused``, missing in the schema: ``<status>paused</status>`` and ``<pause/>`` beside
  ``<game>``, once.
- Option names: those of the text; ``_roomdesc``, ``_moderated``, ``#roomconfig``,
  ``#matchconfig`` are understood.
- ``<game>`` around messages: sent around invitations, never around ``<start/>`` and ``<turn/>``;
  clients can leave it out.
- An owner's request at the wrong time: cancel/not-allowed.
- Auth/forbidden: without the right; also if an owner takes a role away in an unmoderated room's
  match.
- A match that was paused or active when saved: is paused when loaded.
- A loaded room without occupants: stays saved until a user enters.
- Inviter when a room is loaded, or an absent owner adds a member: the room; the owner gets a
  message of a decline.
- A ``<move/>`` without ``id``: malformed: bad-request; the player stays.
- A move off the board: impossible, not malformed: a member is removed.
- Empty fields of a board: aren't sent.
- The last result: in the state until the next match begins or options change.
- First to move after a change of options: whose turn it was, unless the form names another.
- Presence without ``<game>``, with the own nick: only changes availability.
- Leaving with one of two clients: only that client gets a message.
- A full room: lets only its owner in.
- Removing the owner's membership: cancel/not-allowed.
- A former owner in a members-only room: stays until leaving, and can't come back uninvited.
- ``saved`` in a search: absent: all rooms; 1: saved ones; 0: the others.
- ``max_occupants`` in a search: rooms for up to so many.
- ``roles`` in a search: a free role, or the minimum number of free roles.
- A search without a form, as elements (``<status>active</status>``): is understood.
- Rooms that aren't configured yet: are in no list.
- A client from which an error comes back: has left.
- A user who left while there was no link: stays until an error comes back or the owner takes the
  role away.
- An invitation that bounces: the inviter, if in the room, gets item-not-found.
- Owner's lists, fully anonymous room: no ``jid``; only members present, by ``nick``.
- A turn (or another element of MUG) to the own occupant's address: counts as sent to the room.
- Elements of MUG in a message to another occupant: modify/not-acceptable.
- An invitation to a room address: for an inviter who is in that room, else item-not-found; this
  room then shows that address, as long as the invited is a member or hasn't answered.
- A custom initial state: ``<state>`` beside the form, or in ``<options>``; its options, if given,
  are those of the room.
- A subscription to the service: subscribed, and available; to a room: unsubscribed.
- ``<start/>``: without a type, as in M's example.
- Elements deeper than twelve levels: modify/policy-violation.

Where a room with a match differs from the chat rooms of XEP-0045:

- A new room: isn't locked; a canceled first form still ends it.
- Answers to a command: groupchat messages to its sender alone, which clients show in their place.
- Messages of the room: come from the occupant ``referee``, as not all clients show others.
- A fully anonymous room: is announced as semi-anonymous; no client gets an address.
- A room of the lobby: has no owner; it stays for its MUC clients when the match is over.
"""

from tictac.plugin import Plugin

PLUGIN = Plugin(
    __name__,
    rank=160,
    servers={"xmpp": "service:PLUGIN"},
    commands={"xmpp": "client.commands:add_parser"},
    shells={"xmpp": "shell:Commands"},
    keepers={"xmpp-links": "links:LinkKeeper"},
    suites={"mug": "check.server:SUITE", "mug-client": "check.client:SUITE"},
)
