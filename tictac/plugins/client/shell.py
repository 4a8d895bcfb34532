"""The shell: plays on a server by commands of one line each.

Source: playing.md, "The client".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from tictac.characters import name_of
from tictac.errors import NotAMove
from tictac.lobby.clock import TimeControl
from tictac.plugins.client.connection import Message, Refused
from tictac.plugins.client.seek import Seek, Stop, read_options
from tictac.plugins.client.session import ClientSession
from tictac.plugins.client.tournaments import describe_tournament
from tictac.plugins.client.words import BY_NAME, WORDS, help_lines, help_of
from tictac.terminal.dialog import Quit
from tictac.terminal.style import visible


def _nearest(typed: str) -> str:
    """Return a question about the command that was probably meant, or an empty text."""
    near = get_close_matches(typed.lower(), BY_NAME, 1, 0.7)
    return f"; did you mean {near[0]}?" if near else ""


def _no_command(typed: str) -> str:
    """Return why ``typed`` isn't a command, and what to do next."""
    near = _nearest(typed) or "; type help for the commands"
    return f"there is no command '{visible(typed):.40}'{near}"


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
                return [*dict.fromkeys([*self._held, *self._rooms])]
            case "open" | "create" | "play" | "seek" | "ratings" | "rules" if len(words) == 1:
                return [str(game["name"]) for game in self.games]
            case "open" | "create" | "play" | "seek":
                return [*self._levels_of(words[1]), *self._options_of(words[1]), "clock=", "room="]
            case "move" if self.table is not None:
                return [self._spell(move) for move in self.table.moves]
            case "help":
                return [word.name for word in WORDS]
        return [user for extra in self._extras for user in extra.complete(first)]

    async def _obey(self, typed: str) -> None:
        first, _, rest = typed.partition(" ")
        word, rest = BY_NAME.get(first.lower()), rest.strip()
        if word is None or self._is_move(typed):
            if self.table is None:
                raise Stop(_no_command(first))
            if first.lower() in self._questions:
                self.show(*self.table.answer(first.lower()))
            else:
                await self._move(typed)
        elif any([await extra.obey(word.name, rest) for extra in self._extras]):
            return
        elif word.at_table and self.table is None:
            raise Stop("you are in no room: join, watch, or open one")
        elif word.name in ("draw", "takeback", "rematch"):
            assert self.table is not None
            request = self.table.agree(word.name)
            await self.request(request, room=self._room, what=word.name)
        elif word.name in ("accept", "decline"):
            await self.request(word.name, room=self._room)
        else:
            await self._DO[word.name](self, rest)

    async def _do_login(self, rest: str) -> None:
        self.check_free()
        await self._log_in(rest)

    async def _do_register(self, rest: str) -> None:
        self.check_free()
        await self._log_in(rest, "register")

    async def _do_guest(self, rest: str) -> None:
        self.check_free()
        await self.enter("guest")

    async def _do_logout(self, rest: str) -> None:
        if not await self._is_sure():
            return
        await self.leave_quietly()
        everywhere = rest == "everywhere"
        await self.request("logout", everywhere=everywhere)
        self._keep(None)
        self.user, self._login = "", None
        self.show(f"Logged out{' on all your devices' * everywhere}.")

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
        answer = await self.request("password", old=old, password=new, remember=True)
        self._stay(answer, new)
        self.show("Changed your password. Your other devices have to log in again.")

    async def _do_games(self, rest: str) -> None:
        for game in self.games:
            self.show(f"{visible(game['name'])}: {visible(game['goal'])}")
            if game["levels"]:
                pairs = zip(game["levels"], game["characters"], strict=True)
                levels = ", ".join(f"{level} ({name})" for level, name in pairs)
                self.show(self._style.dim(f"    levels of the computer: {visible(levels)}"))
            for option in game["options"]:
                about = f"{option['name']}={option['default']}: {option.get('help', '')}"
                self.show(self._style.dim(f"    {visible(about)}"))

    async def _do_rules(self, rest: str) -> None:
        if self.table is not None and not rest:
            game, options = self.table.game, self.table.options
        else:
            wish = self.read_wish(rest)
            game, options = str(wish.game), await read_options(self.request, wish)
        answer = await self.request("rules", game=game, options=options)
        self.show(*map(visible, answer["rules"]))

    async def _do_rooms(self, rest: str) -> None:
        self._list_rooms()

    async def _do_open(self, rest: str) -> None:
        await self._sit(self.read_wish(rest))

    async def _do_seek(self, rest: str) -> None:
        await self._sit(self.read_wish(rest, seek=True))

    async def _do_join(self, rest: str) -> None:
        self.check_free()
        if not rest and len(self._held) == 1:
            rest = self._held[0]
        elif not rest and self._held:
            raise Stop(f"which room? your seats are in {', '.join(self._held)}")
        room, key = self._room_and_key(rest)
        await self.leave_quietly()
        self._key = key.get("key", "")
        try:
            await self.request("join", room=room, **key)
        except Refused as refused:
            if refused.code != "room-full":
                raise
            # Refused again, unless another connection of the same account has a seat.
            await self.request("join", room=room, take=True, **key)

    async def _do_watch(self, rest: str) -> None:
        self.check_free()
        room, key = self._room_and_key(rest)
        await self._watch(room, key.get("key", ""))

    def _room_and_key(self, rest: str) -> tuple[str, dict[str, str]]:
        """Return a room and its key. The name can contain blanks if the room is in the list."""
        room, _, key = rest.rpartition(" ")
        if not rest:
            raise Stop("which room? rooms lists them")
        known = rest in self._rooms or rest in self._held
        return (rest, {}) if known or not room else (room, {"key": key})

    def _is_move(self, typed: str) -> bool:
        """Return whether a possible move is typed just so, although it is a command elsewhere."""
        table = self.table
        if table is None or not table.my_turn:
            return False
        return typed.strip().lower() in map(self._spell, table.moves)

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
            raise Stop(f"{why}, and {_no_command(first)}")
        try:
            move = table.text_view.read(typed)
        except NotAMove as wrong:
            near = _nearest(typed.partition(" ")[0])
            raise Stop(f"{visible(typed):.40} isn't a move: {wrong}{near}") from None
        at, steps = table.number, table.steps(move)
        self._steps = len(steps)
        try:
            for step in steps:
                answer = await self.request("move", room=self._room, move=step, at=at)
                at = answer["at"]
        except Refused as refused:
            self._steps = 0
            # Spell the move as players type it.
            raise Stop(str(refused).replace(move, table.text_view.spell(move))) from None

    async def _do_moves(self, rest: str) -> None:
        assert self.table is not None
        many = "there are too many to list" if self.table.my_turn else "it isn't your turn"
        self.show("   ".join(map(self._spell, self.table.moves)) or f"{many[0].upper()}{many[1:]}.")

    async def _do_board(self, rest: str) -> None:
        assert self.table is not None
        self.show(*self.table.board(), *self.table.whose_turn())

    async def _do_say(self, rest: str) -> None:
        if not rest:
            raise Stop("say what?")
        await self.request("say", room=self._room, text=rest)

    async def _do_resign(self, rest: str) -> None:
        if await self._is_sure():
            await self.request("resign", room=self._room)

    async def _do_who(self, rest: str) -> None:
        assert self.table is not None
        self.show(f"In the room: {self.table.players()}.")
        if self.table.viewers:
            self.show(f"Watching: {', '.join(self.table.viewers)}.")

    async def _do_leave(self, rest: str) -> None:
        if await self._is_sure():
            await self.leave_quietly()

    async def _do_tournaments(self, rest: str) -> None:
        found = (await self.request("tournaments"))["tournaments"]
        self.show(*map(describe_tournament, found), *["There is no tournament."] * (not found))

    async def _do_enter(self, rest: str) -> None:
        try:
            answer = await self.request("enter", tournament=self._tournament(rest))
        except Refused as refused:
            if refused.code != "entered-already":
                raise
            try:
                answer = await self.request("pause", tournament=rest, pause=False)
            except Refused:
                raise refused from None
        self._show_card(rest, answer["you"])

    async def _do_withdraw(self, rest: str) -> None:
        answer = await self.request("withdraw", tournament=self._tournament(rest))
        self._show_card(rest, answer["you"])

    def _tournament(self, rest: str) -> str:
        if not rest:
            raise Stop("which tournament? tournaments lists them")
        return rest

    async def _do_history(self, rest: str) -> None:
        from tictac.plugins.matches.match_text import (
            spell_end,  # late, because it imports all games
        )

        about = {"player": self.user} if self._login and self._login["do"] == "login" else {}
        if rest:
            is_game = rest in (game["name"] for game in self.games)
            about = {"game" if is_game else "player": rest}
        found = await self.request("matches", limit=10, **about)
        for match in found["matches"]:
            computers = match.get("computers", {})
            names = [name_of(str(each["name"]), computers) for each in match["players"]]
            aborted = bool(match.get("aborted"))
            end = spell_end(names, match["ending"], match["winner"], aborted)
            line = (
                f"{match['id']}  {match['ended'][:16]}  {match['game']}, {', '.join(names)}: {end}"
            )
            self.show(visible(line))
        if not found["matches"]:
            self.show("No such match has ended yet.")

    async def _do_replay(self, rest: str) -> None:
        if not rest:
            raise Stop("which match? history lists them")
        from tictac.archive.match import load_match
        from tictac.plugins.matches.match_text import frames

        match = (await self.request("match", match=rest))["match"]
        for lines in frames(load_match(json.dumps(match)), self._style):
            self.show(*lines)

    async def _do_ratings(self, rest: str) -> None:
        if not rest:
            raise Stop("name a game, for example: ratings nim")
        game, _, group = rest.partition(" ")
        of_group = {"group": group} if group else {}
        players = (await self.request("ratings", game=game, limit=10, **of_group))["players"]
        for nth, player in enumerate(players, 1):  # an older server sends no rank
            rank = player.get("rank", nth)
            self.show(f"{rank:2}. {visible(player['player'])}: {player['rating']:.0f}")
        if not players:
            self.show("No player has a rating yet.")

    async def _do_help(self, rest: str) -> None:
        word = BY_NAME.get(rest.lower())
        if rest and word is None:
            raise Stop(_no_command(rest))
        lines = (
            help_lines(self.table is not None, bool(self.user)) if word is None else help_of(word)
        )
        self.show(*lines)
        if word is None:
            self.show(*(f"{name:10}{about}" for name, about in self._questions.items()))
        if self.table is not None and (word is None or word.name == "move"):
            self.show(f"A move is {self.table.text_view.usage}.")

    async def _do_quit(self, rest: str) -> None:
        if await self._is_sure():
            raise Quit

    async def _is_sure(self) -> bool:
        """Return whether the player confirms the loss of the match, if one is running."""
        if self.screen.is_script or self.table is None or not self.table.is_playing:
            return True
        answer = await self.screen.ask("This loses the match. Continue? (yes/no) ")
        return (answer or "").strip().lower() in ("y", "yes")

    @property
    def _questions(self) -> Mapping[str, str]:
        return {} if self.table is None else self.table.text_view.questions

    def _spell(self, move: str) -> str:
        return self.table.text_view.spell(move) if self.table is not None else move

    def read_wish(self, typed: str, seek: bool = False) -> Seek:
        """Return the wish in the arguments of a command. Raises Stop."""
        game, *words = typed.split() or [""]
        game = game.lower()
        if not game:
            raise Stop("which game? games lists them")
        self.check_game(game)
        levels = self._levels_of(game)
        fields: Message = {}
        options = []
        for word in words:
            name, is_option, value = word.partition("=")
            if word.lower() in levels:
                fields["computer"] = word.lower()
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
        return [level for game in self.games if game["name"] == name for level in game["levels"]]

    def _options_of(self, name: str) -> list[str]:
        return [
            f"{o['name']}=" for game in self.games if game["name"] == name for o in game["options"]
        ]

    _DO = {
        name.removeprefix("_do_"): method
        for name, method in list(locals().items())
        if name.startswith("_do_")
    }
