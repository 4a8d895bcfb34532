"""People and challenges at the shell of `tictac play`. Source: people.md, "People"."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tictac.plugins.client.connection import Message
from tictac.plugins.client.seek import Stop, read_options, terms_of
from tictac.terminal.style import visible


class Commands:
    """The commands about people, for a client.shell.Shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._challenges: dict[str, tuple[str, bool]] = {}
        """With whom each one is that stands, and whether it was sent from here."""

    def complete(self, command: str) -> Collection[str]:
        """Return the words that could follow a command."""
        known = [user for user, _ in self._challenges.values()]
        return known if command in ("accept", "decline") else ()

    def handle_event(self, event: Message) -> bool:
        """Handle an event of the server, or return False to leave it to the session."""
        if event["event"] == "people":
            return True
        if event["event"] != "challenge":
            return False
        challenge = event["challenge"]
        if event["state"] == "open":
            self._challenges[challenge] = str(event["by"]), False
            self._shell.show(spell_challenge(event))
        elif challenge in self._challenges:
            user, sent = self._challenges.pop(challenge)
            whose = f"to {user}" if sent else f"by {user}"
            self._shell.show(visible(f"The challenge {whose} is over: {event['state']}."))
        return True

    async def obey(self, command: str, rest: str) -> bool:
        """Run a command, or return False to leave it to the shell. Raises Refused or Stop."""
        at_table = self._shell.table is not None
        match command:
            case "challenge":
                await self._challenge(rest)
            case "accept" | "decline" if rest or not at_table:
                await self._respond(command, rest)
            case "who" if rest in ("hide", "show"):
                await self._shell.request("account", hidden=rest == "hide")
            case "who" if not at_table:
                answer = await self._shell.request("people", follow=False)
                self._shell.show(*describe_people(answer))
            case _:
                return False
        return True

    async def _challenge(self, rest: str) -> None:
        shell, words = self._shell, rest.split()
        games = [game["name"] for game in shell.games]
        at = next((at for at, word in enumerate(words) if at and word in games), len(words))
        user = " ".join(words[:at])
        if not user:
            raise Stop("name a player; type who to list the players online")
        wish = shell.read_wish(" ".join(words[at:] or games[:1]))
        if wish.computer or wish.room or wish.key or wish.seats or wish.computers:
            raise Stop("a challenge is for a match of two people, in a new room")
        shell.check_free()
        terms = terms_of(wish, await read_options(shell.request, wish))
        await shell.leave_quietly()
        side = {"side": 1} if wish.second else {}
        answer = await shell.request("challenge", user=user, **terms, **side)
        if "challenge" in answer:
            self._challenges[answer["challenge"]] = user, True
            shell.show(visible(f"Asked {user}."))
        else:  # the other had asked for the same: the match begins
            shell.coming = True

    async def _respond(self, how: str, user: str) -> None:
        """Answer the challenge of a user, or the only one; declining a sent one withdraws it."""
        found = [
            (challenge, sent)
            for challenge, (other, sent) in self._challenges.items()
            if user in ("", other) and not (sent and how == "accept")
        ]
        if len(found) != 1:
            raise Stop("whose challenge? Add the name" if found else "there is no such challenge")
        [(challenge, sent)] = found
        if how == "accept":
            self._shell.check_free()
            await self._shell.leave_quietly()
        await self._shell.request("respond", challenge=challenge, how="withdraw" if sent else how)
        self._challenges.pop(challenge, None)
        self._shell.coming |= how == "accept"


def describe_people(answer: Message) -> list[str]:
    """Return the users online, as lines; strangers get only their number."""
    lines = []
    for each in answer.get("people", ()):
        about = f"plays in {each['room']}" if "room" in each else each["state"]
        takes = ", takes challenges" * (each["challenge"] and each["state"] == "free")
        lines.append(visible(f"{each['user']}: {about}{takes}"))
    more = answer.get("more", answer["counts"]["people"])
    return [*lines, f"{'And ' * bool(lines)}{more} online."] if more else lines


def spell_challenge(event: Message) -> str:
    """Return a new challenge, as a sentence."""
    about = {**event["options"], **(event["clock"] or {})}
    terms = [event["title"], *(f"{name}={value}" for name, value in about.items())]
    terms += ["rated"] * event["rated"]
    side = "" if event["side"] is None else f" You have seat {event['side'] + 1}."
    until = "" if event["seconds"] is None else f", within {event['seconds']:g} s"
    by, match = event["by"], ", ".join(terms)
    return visible(f"{by} challenges you to {match}.{side} accept {by} or decline {by}{until}.")
