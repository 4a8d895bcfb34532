"""The texts of notices, in some languages. English stands in for others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote

from tictac.plugins.days.matches import DayMatch
from tictac.plugins.notices.notices import DAY, Notice
from tictac.plugins.notices.notifier import Line

TEXTS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "turn": "Your turn: {game}",
        "late": "Your time runs out: {game}",
        "offer": "An offer: {game}",
        "began": "A match has begun: {game}",
        "challenge": "A challenge: {game}",
        "asks": "{user} wants to play with {time} for each move",
        "won": "You have won: {game}",
        "lost": "You have lost: {game}",
        "drawn": "A draw: {game}",
        "left": "against {others}, {time} left",
        "only": "against {others}, only {time} left",
        "theirs": "against {others}, whose turn it is",
        "against": "against {others}",
        "tournament": " (tournament {tournament})",
        "offered": "; {user} offers {what}",
        "what draw": "a draw",
        "what takeback": "a takeback",
        "what other": "something",
        "timed out": "against {others}: the time ran out",
        "many": "{count} messages about your matches",
        "hello": "Hello {user},",
        "stop": "To get no more of these messages: {link}",
        "xmpp stop": "To get no more of these messages, answer: stop",
        "confirm": "Confirm your address",
        "confirm body": "{user} wants to get messages about matches at this address.\n"
        "If that is you, open this link within two days:\n\n{link}\n\n"
        "Otherwise do nothing: you get no further messages.",
        "day": "day", "days": "days", "hour": "hour", "hours": "hours",
        "minute": "minute", "minutes": "minutes",
    },
    "de": {
        "turn": "Du bist am Zug: {game}",
        "late": "Deine Zeit läuft ab: {game}",
        "offer": "Ein Angebot: {game}",
        "began": "Eine Partie hat begonnen: {game}",
        "challenge": "Eine Herausforderung: {game}",
        "asks": "{user} möchte spielen, {time} pro Zug",
        "won": "Du hast gewonnen: {game}",
        "lost": "Du hast verloren: {game}",
        "drawn": "Unentschieden: {game}",
        "left": "gegen {others}, noch {time}",
        "only": "gegen {others}, nur noch {time}",
        "theirs": "gegen {others}, die andere Seite ist am Zug",
        "against": "gegen {others}",
        "tournament": " (Turnier {tournament})",
        "offered": "; {user} bietet {what} an",
        "what draw": "Remis",
        "what takeback": "eine Rücknahme",
        "what other": "etwas",
        "timed out": "gegen {others}: Die Zeit ist abgelaufen",
        "many": "{count} Nachrichten über deine Partien",
        "hello": "Hallo {user},",
        "stop": "Keine solchen Nachrichten mehr: {link}",
        "xmpp stop": "Keine solchen Nachrichten mehr? Antworte: stop",
        "confirm": "Bestätige deine Adresse",
        "confirm body": "{user} möchte an dieser Adresse Nachrichten über Partien bekommen.\n"
        "Bist du das? Dann öffne innerhalb von zwei Tagen diesen Link:\n\n{link}\n\n"
        "Sonst tu nichts: Du bekommst keine weiteren Nachrichten.",
        "day": "Tag", "days": "Tage", "hour": "Stunde", "hours": "Stunden",
        "minute": "Minute", "minutes": "Minuten",
    },
    "fr": {
        "turn": "À toi de jouer : {game}",
        "late": "Ton temps s'écoule : {game}",
        "offer": "Une proposition : {game}",
        "began": "Une partie a commencé : {game}",
        "challenge": "Un défi : {game}",
        "asks": "{user} veut jouer, {time} par coup",
        "won": "Tu as gagné : {game}",
        "lost": "Tu as perdu : {game}",
        "drawn": "Nulle : {game}",
        "left": "contre {others}, encore {time}",
        "only": "contre {others}, plus que {time}",
        "theirs": "contre {others}, qui doit jouer",
        "against": "contre {others}",
        "tournament": " (tournoi {tournament})",
        "offered": " ; {user} propose {what}",
        "what draw": "la nulle",
        "what takeback": "une reprise",
        "what other": "quelque chose",
        "timed out": "contre {others} : le temps est écoulé",
        "many": "{count} messages sur tes parties",
        "hello": "Bonjour {user},",
        "stop": "Pour ne plus recevoir ces messages : {link}",
        "xmpp stop": "Pour ne plus recevoir ces messages, réponds : stop",
        "confirm": "Confirme ton adresse",
        "confirm body": "{user} veut recevoir des messages sur ses parties à cette adresse.\n"
        "Si c'est toi, ouvre ce lien dans les deux jours :\n\n{link}\n\n"
        "Sinon, ne fais rien : tu ne reçois plus de messages.",
        "day": "jour", "days": "jours", "hour": "heure", "hours": "heures",
        "minute": "minute", "minutes": "minutes",
    },
}  # fmt: skip


def _texts_in(language: str) -> Mapping[str, str]:
    """Return the texts of a language such as de-AT."""
    return TEXTS.get(language.lower().partition("-")[0], TEXTS["en"])


def duration(seconds: float, language: str) -> str:
    """Return a time like 2 days 4 hours, or 59 minutes, rounded down."""
    texts = _texts_in(language)
    minutes = max(0, int(seconds)) // 60
    parts = [("day", minutes // 1440), ("hour", minutes // 60 % 24), ("minute", minutes % 60)]
    first = next((i for i, (_, count) in enumerate(parts) if count), 2)
    shown = [
        f"{count} {texts[unit if count == 1 else unit + 's']}"
        for unit, count in parts[first : first + 2]
        if count or len(parts) - first == 1
    ]
    return " ".join(shown)


def line_of_match(notice: Notice, match: DayMatch, user: str, now: float, language: str) -> Line:
    """Describe a notice about a match that goes on, as it is ``now`` (seconds since 1970)."""
    texts = _texts_in(language)
    others = ", ".join(other for other in match.players if other != user)
    left = match.until - now
    form = {"turn": "left", "late": "only", "offer": "against", "began": "theirs"}[notice.kind]
    body = texts[form].format(others=others, time=duration(left, language))
    if match.offer is not None and match.players[match.offer[0]] != user:
        by, what = match.players[match.offer[0]], match.offer[1]
        word = texts.get(f"what {what}", texts["what other"])
        body += texts["offered"].format(user=by, what=word)
    if match.tournament is not None:
        body += texts["tournament"].format(tournament=match.tournament)
    title = texts[notice.kind].format(game=match.game_type.title)
    path = f"/room/{quote(match.room, safe='')}"
    return Line(notice.kind, match.room, title, body, path, max(left, 60.0))


def line_of_challenge(notice: Notice, key: str, language: str) -> Line:
    """Describe a challenge to an account that wasn't here; its room opens with ``key``."""
    user, game, days = json.loads(notice.about)
    texts = _texts_in(language)
    body = texts["asks"].format(user=user, time=duration(days * DAY, language))
    path = f"/room/{quote(notice.room, safe='')}" + (f"/{quote(key, safe='')}" if key else "")
    title = texts["challenge"].format(game=game)
    return Line("challenge", notice.room, title, body, path, float(days * DAY))


def line_of_end(notice: Notice, language: str) -> Line:
    """Describe a notice about a match that has ended."""
    texts = _texts_in(language)
    others, game, outcome, how, match_id = json.loads(notice.about)
    form = "timed out" if how == "timed out" else "against"
    body = texts[form].format(others=", ".join(others))
    path = f"/match/{quote(match_id, safe='')}" if match_id else "/mine"
    return Line("ended", notice.room, texts[outcome].format(game=game), body, path, float(DAY))


def text(name: str, language: str, **words: object) -> str:
    """Return another text."""
    return _texts_in(language)[name].format(**words)
