"""Requests of the lobby protocol about finished matches. Source: lobby.md, "Requests"."""

from __future__ import annotations

from msgspec.structs import asdict
from twisted.internet.defer import Deferred

from tictac.archive.match import to_json
from tictac.archive.reader import read_filter
from tictac.errors import BadFilter, NoArchive
from tictac.net.logins import LoginConnection
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.lobby import Lobby

ArchiveRequest = wire.Matches | wire.Match | wire.Replay | wire.Ratings | wire.Judge


def read(lobby: Lobby, asker: LoginConnection, request: ArchiveRequest) -> Deferred[bytes]:
    """Read the fields of the answer, an object as JSON. Raises, or fails with, a Refusal."""
    matches, network, user = lobby.matches, asker.network, asker.user
    match request:
        case wire.Match(format=str(suffix)):
            exported = matches.export(network, request.match, suffix, user)
            return exported.addCallback(lambda file: to_json({"file": file[1]}).encode())
        case wire.Match():
            read = matches.match(network, request.match, user)
            return read.addCallback(lambda line: b'{"match":%b}' % line)
        case wire.Replay():
            seat, first = request.seat, request.first or 0
            replay = matches.replay(network, request.match, user, seat, first, request.draws)
            return replay.addCallback(lambda events: b'{"replay":%b}' % events)
        case wire.Judge():
            if lobby.judging is None:
                raise NoArchive("this server keeps no matches")
            judged = lobby.judging.judge(request.match, user, network)
            return judged.addCallback(lambda text: b'{"judgement":%b}' % text)
        case wire.Ratings(game=game, player=player):
            if game is not None:
                return matches.leaders(network, game, request.limit, request.group, player)
            if player is None:
                raise BadFilter("ratings are of a game or of a player")
            return matches.player(network, player)
        case wire.Matches():
            wanted = read_filter(asdict(request))._replace(viewer=user)
            return matches.page(network, wanted, request.cursor, request.limit)
