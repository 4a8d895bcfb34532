"""Requests of the lobby protocol about finished matches. Source: lobby.md, "Requests"."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from tictac.archive.reader import Reader, read_filter
from tictac.errors import BadFilter, NoArchive
from tictac.net.logins import LoginConnection
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.analysis_requests import Judging


def ask(
    asker: LoginConnection, matches: Reader, judging: Judging | None, request: wire.Request
) -> None:
    """Answer a request about matches, at once or after the lookup. Raises a Refusal."""
    asker.wait_for(
        request.do,
        _read(asker, matches, judging, request),
        lambda fields: asker.send(wire.answer_with(request.id, fields)),
        lambda refusal: asker.send(wire.error(request.id, refusal)),
    )


def _read(
    asker: LoginConnection, matches: Reader, judging: Judging | None, request: wire.Request
) -> Deferred[bytes]:
    """Read the fields of the answer, an object as JSON."""
    place, user = asker.place, asker.user
    match request.do:
        case "match":
            read = matches.match(place, request["match"], user)
            return read.addCallback(lambda line: b'{"match":%b}' % line)
        case "replay":
            seat, first = request["seat"], request["first"] or 0
            replay = matches.replay(place, request["match"], user, seat, first, request["draws"])
            return replay.addCallback(lambda told: b'{"replay":%b}' % told)
        case "judge":
            if judging is None:
                raise NoArchive("this server keeps no matches")
            judged = judging.judge(request["match"], user, place)
            return judged.addCallback(lambda text: b'{"judgement":%b}' % text)
        case "ratings":
            game, player = request["game"], request["player"]
            if (game is None) is (player is None):
                raise BadFilter("ratings are of a game or of a player")
            if game is not None:
                return matches.leaders(place, game, request["limit"], request["group"])
            return matches.player(place, player)
    wanted = read_filter(request.fields)._replace(viewer=user)
    return matches.page(place, wanted, request["cursor"], request["limit"])
