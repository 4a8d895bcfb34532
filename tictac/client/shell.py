"""The shell: plays on a server by commands of one line each.

Source: playing.md, "The client".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from tictac.client.connection import Refused
from tictac.client.seek import Seek, Stop, read_options
from tictac.client.session import ClientSession
from tictac.client.words import BY_NAME, WORDS, help_lines, help_of
from tictac.errors import NotAMove
from tictac.games.all import no_such
from tictac.lobby.clock import TimeControl
from tictac.terminal.dialog import Quit
from tictac.terminal.style import visible


def _nearest(typed: str) -> str:
    """Return a question for the command that was probably meant, or an empty text."""
    return "".join(f": {name}?" for name in get_close_matches(typed.lower(), BY_NAME, 1, 0.7))


class Shell(ClientSession):
    """The commands (words.py), and completion by Tab."""

    def complete(self, typed: str) -> Iterable[str]:
        """Return the words that could complete the typed line."""
        *words, _ = typed.split(" ")
        first = words[0].lower() if words else ""
        match first:
            case "":
                moves = self.table.moves if self.table is not None and self.table.my_turn else ()
                return [*(word.name for word in WORDS), *self._questions, *map(self._spell, moves)]
            case "join" | "watch":
                return list(self._rooms)
            case "open" | "create" | "play" | "seek" | "ratings" | "rules" if len(words) == 1:
                return [str(game["name"]) for game in self._games]
            case "open" | "create" | "play" | "seek":
                return [*self._levels_of(words[1]), *self._options_of(words[1]), "clock=", "room="]
            case "move" if self.table is not None:
                return [self._spell(move) for move in self.table.moves]
            case "help":
                return [word.name for word in WORDS]
        return ()

    async def _obey(self, typed: str) -> None:
        first, _, rest = typed.partition(" ")
        word, rest = BY_NAME.get(first.lower()), rest.strip()
        if word is None:
            if self.table is None:
                raise Stop(f"there is no command '{visible(first):.40}'{_nearest(first)}; see help")
            if first.lower() in self._questions:
                self._say(*self.table.answer(first.lower()))
            else:
                await self._move(typed)
        elif word.at_table and self.table is None:
            raise Stop("you are at no table: join, watch or open one")
        elif word.name in ("draw", "takeback", "rematch"):
            assert self.table is not None
            request = self.table.agree(word.name)
            await self._request(request, room=self._room, what=word.name)
        elif word.name in ("accept", "decline"):
            await self._request(word.name, room=self._room)
        else:
            await self._DO[word.name](self, rest)

    async def _do_login(self, rest: str) -> None:
        self._check_free()
        await self._log_in(rest)

    async def _do_register(self, rest: str) -> None:
        self._check_free()
        await self._log_in(rest, "register")

    async def _do_guest(self, rest: str) -> None:
        self._check_free()
        await self._enter("guest")

    async def _do_logout(self, rest: str) -> None:
        if not await self._is_sure():
            return
        await self._leave_quietly()
        everywhere = rest == "everywhere"
        await self._request("logout", everywhere=everywhere)
        self._keep(None)
        self.user, self._login = "", None
        self._say(f"Logged out{' on all your devices' * everywhere}.")

    async def _do_password(self, rest: str) -> None:
        if self._login is None or self._login["do"] == "guest":
            raise Stop("log in first")
        ask = self.screen.ask
        old = await ask("Old password: ", hidden=True)
        new = old and await ask("New password: ", hidden=True)
        if not old or not new:
            return
        if await ask("Again: ", hidden=True) != new:
            raise Stop("the two passwords differ")
        answer = await self._request("password", old=old, password=new, remember=True)
        self._stay(answer, new)
        self._say("Changed your password. Your other devices have to log in again.")

    async def _do_games(self, rest: str) -> None:
        for game in self._games:
            self._say(f"{visible(game['name'])}: {visible(game['goal'])}")
            if game["levels"]:
                levels = ", ".join(map(str, game["levels"]))
                self._say(self._style.dim(f"    levels of the computer: {visible(levels)}"))
            for option in game["options"]:
                about = f"{option['name']}={option['default']}: {option.get('help', '')}"
                self._say(self._style.dim(f"    {visible(about)}"))

    async def _do_rules(self, rest: str) -> None:
        if self.table is not None and not rest:
            game, options = self.table.game, self.table.options
        else:
            wish = self._read_wish(rest)
            game, options = str(wish.game), await read_options(self._request, wish)
        answer = await self._request("rules", game=game, options=options)
        self._say(*map(visible, answer["rules"]))

    async def _do_rooms(self, rest: str) -> None:
        self._list_rooms()

    async def _do_open(self, rest: str) -> None:
        await self._sit(self._read_wish(rest))

    async def _do_seek(self, rest: str) -> None:
        await self._sit(self._read_wish(rest, seek=True))

    async def _do_join(self, rest: str) -> None:
        self._check_free()
        room, key = self._room_and_key(rest)
        await self._leave_quietly()
        self._key = key.get("key", "")
        try:
            await self._request("join", room=room, **key)
        except Refused as refused:
            if refused.code != "room-full":
                raise
            # Refused again, unless another connection of the same account has a seat.
            await self._request("join", room=room, take=True, **key)

    async def _do_watch(self, rest: str) -> None:
        self._check_free()
        room, key = self._room_and_key(rest)
        await self._watch(room, key.get("key", ""))

    def _room_and_key(self, rest: str) -> tuple[str, dict[str, str]]:
        """Return a room and its key. The name can contain blanks if the room is in the list."""
        room, _, key = rest.rpartition(" ")
        if not rest:
            raise Stop("which table? rooms lists them")
        return (rest, {}) if rest in self._rooms or not room else (room, {"key": key})

    async def _do_move(self, rest: str) -> None:
        await self._move(rest)

    async def _move(self, typed: str) -> None:
        table = self.table
        assert table is not None
        if not table.my_turn:
            why = "you watch" if table.seat is None else "it isn't your turn"
            if table.over or not table.begun:
                why = "the match is over" if table.over else "the match hasn't begun"
            first = typed.partition(" ")[0]
            no = f"{visible(typed):.40} is no command{_nearest(first)}"
            raise Stop(f"{no}, and {why}; see help")
        try:
            move = table.text_view.read(typed)
        except NotAMove as wrong:
            near = _nearest(typed.partition(" ")[0])
            raise Stop(f"{visible(typed):.40} is no move: {wrong}{near}") from None
        at, steps = table.number, table.steps(move)
        self._steps = len(steps)
        try:
            for step in steps:
                answer = await self._request("move", room=self._room, move=step, at=at)
                at = answer["at"]
        except Refused as refused:
            self._steps = 0
            # Spell the move as players type it.
            raise Stop(str(refused).replace(move, table.text_view.spell(move))) from None

    async def _do_moves(self, rest: str) -> None:
        assert self.table is not None
        many = "there are too many to list" if self.table.my_turn else "it isn't your turn"
        self._say("   ".join(map(self._spell, self.table.moves)) or f"{many[0].upper()}{many[1:]}.")

    async def _do_board(self, rest: str) -> None:
        assert self.table is not None
        self._say(*self.table.board(), *self.table.whose_turn())

    async def _do_say(self, rest: str) -> None:
        if not rest:
            raise Stop("say what?")
        await self._request("say", room=self._room, text=rest)

    async def _do_resign(self, rest: str) -> None:
        if await self._is_sure():
            await self._request("resign", room=self._room)

    async def _do_who(self, rest: str) -> None:
        assert self.table is not None
        self._say(f"At the table: {self.table.players()}.")
        if self.table.viewers:
            self._say(f"Watching: {', '.join(self.table.viewers)}.")

    async def _do_leave(self, rest: str) -> None:
        if await self._is_sure():
            await self._leave_quietly()

    async def _do_history(self, rest: str) -> None:
        from tictac.matches.text_view import spell_end  # late, because it imports all games

        about = {"player": self.user} if self._login and self._login["do"] == "login" else {}
        if rest:
            is_game = rest in (game["name"] for game in self._games)
            about = {"game" if is_game else "player": rest}
        found = await self._request("matches", limit=10, **about)
        for match in found["matches"]:
            names = [str(player["name"]) for player in match["players"]]
            end = spell_end(names, match["ending"], match["winner"])
            said = (
                f"{match['id']}  {match['ended'][:16]}  {match['game']}, {', '.join(names)}: {end}"
            )
            self._say(visible(said))
        if not found["matches"]:
            self._say("No such match has ended yet.")

    async def _do_replay(self, rest: str) -> None:
        if not rest:
            raise Stop("which match? history lists them")
        from tictac.archive.match import load_match
        from tictac.matches.text_view import frames

        match = (await self._request("match", match=rest))["match"]
        for lines in frames(load_match(json.dumps(match)), self._style):
            self._say(*lines)

    async def _do_ratings(self, rest: str) -> None:
        if not rest:
            raise Stop("name a game, for example: ratings nim")
        game, _, group = rest.partition(" ")
        of_group = {"group": group} if group else {}
        players = (await self._request("ratings", game=game, limit=10, **of_group))["players"]
        for place, player in enumerate(players, 1):
            self._say(f"{place:2}. {visible(player['player'])}: {player['rating']:.0f}")
        if not players:
            self._say("Nobody is rated yet.")

    async def _do_help(self, rest: str) -> None:
        word = BY_NAME.get(rest.lower())
        if rest and word is None:
            raise Stop(f"there is no command '{visible(rest):.40}'{_nearest(rest)}")
        self._say(*(help_lines(self.table is not None) if word is None else help_of(word)))
        if word is None:
            self._say(*(f"{name:10}{about}" for name, about in self._questions.items()))
        if self.table is not None and (word is None or word.name == "move"):
            self._say(f"A move is {self.table.text_view.usage}.")

    async def _do_quit(self, rest: str) -> None:
        if await self._is_sure():
            raise Quit

    async def _is_sure(self) -> bool:
        """Return whether the player confirms the loss of the match, if one is running."""
        if self.screen.is_script or self.table is None or not self.table.is_playing:
            return True
        answer = await self.screen.ask("You lose the match then. Are you sure? (yes/no) ")
        return (answer or "").strip().lower() in ("y", "yes")

    @property
    def _questions(self) -> Mapping[str, str]:
        return {} if self.table is None else self.table.text_view.questions

    def _spell(self, move: str) -> str:
        return self.table.text_view.spell(move) if self.table is not None else move

    def _read_wish(self, typed: str, seek: bool = False) -> Seek:
        """Return the wish in the arguments of a command. Raises Stop."""
        game, *words = typed.split() or [""]
        if not game:
            raise Stop("which game? games lists them")
        names = [each["name"] for each in self._games]
        if names and game not in names:
            raise Stop(no_such(game, names))
        levels = self._levels_of(game)
        fields: dict[str, Any] = {}
        options = []
        for word in words:
            name, is_option, value = word.partition("=")
            if word in levels:
                fields["computer"] = word
            elif name == "clock":
                try:
                    fields["clock"] = TimeControl.parse(value)
                except ValueError as error:
                    raise Stop(str(error)) from None
            elif name in ("computers", "seats") and value.isdecimal():
                fields[name] = int(value[:4])
            elif name in ("room", "key"):
                fields[name] = value
            elif word in ("rated", "second"):
                fields[word] = True
            elif is_option:
                options.append(word)
            else:
                known = f"a level ({', '.join(levels)})" if levels else "an option"
                raise Stop(f"{word!r:.40} is neither {known} nor like NAME=VALUE")
        return Seek(game, tuple(options), seek=seek, **fields)

    def _levels_of(self, name: str) -> list[str]:
        return [level for game in self._games if game["name"] == name for level in game["levels"]]

    def _options_of(self, name: str) -> list[str]:
        return [
            f"{o['name']}=" for game in self._games if game["name"] == name for o in game["options"]
        ]

    _DO = {
        name.removeprefix("_do_"): method
        for name, method in list(locals().items())
        if name.startswith("_do_")
    }
