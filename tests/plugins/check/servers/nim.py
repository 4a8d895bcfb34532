"""A server of Nim (docs/reference/nim.md): one table, and who wins stays."""

from __future__ import annotations

import random

from tests.plugins.check.servers import Faulty, Link, main

PLAY, TURN, MOVE, WIN, LOSE, EXIT = range(1, 7)


class Player:
    """Somebody; ``spare`` is what may still be sent after a win."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.played = self.gone = False
        self.how = "a loss"
        self.spare: set[int] = set()


class Nim(Faulty):
    """``table`` holds who plays, or has won; the first of it has the turn."""

    FAULTS = {
        "deals eleven numbers": "nim-1.3",
        "little-endian": "nim-1.1",
        "counts a connection that hasn't played": "nim-3.5",
        "shows the list to both": "nim-1.2",
        "counts from 1": "nim-2.1",
        "takes one too many": "nim-2.1",
        "leaves zeros in": "nim-2.2",
        "keeps the old indices": "nim-2.3",
        "swaps win and lose": "nim-2.4",
        "keeps the loser": "nim-2.5",
        "takes one read for one message": "nim-2.6",
        "forgets what came with a message": "nim-4.4",
        "waits for another play": "nim-3.1",
        "lets the winner begin": "nim-3.2",
        "last come, first served": "nim-3.3",
        "keeps the place of who has left": "nim-3.4",
        "no win after exit": "nim-4.1",
        "no win after a loss": "nim-4.2",
        "no win without a turn": "nim-4.3",
        "hangs on an unknown type": "nim-5.1",
        "takes its own types": "nim-5.2",
        "dies of a wrong index": "nim-5.3",
        "takes 0": "nim-5.4",
        "doesn't look at the number": "nim-5.5",
        "reads amounts as signed": "nim-5.6",
        "moves out of turn": "nim-5.7",
        "allows a second play": "nim-5.8",
        "a wrong move ends it for both": "nim-5.1",
        "ends the match when the winner stays alone": "nim-4.5",
        "ignores errors in the queue": "nim-5.9",
        "allows a second play in the queue": "nim-5.10",
        "waits forever for a move": "nim-5.11",
        "waits forever for the rest of a move": "nim-5.12",
        "punishes a play after a win": "nim-6.1",
        "punishes a move after a win": "nim-6.2",
    }

    def __init__(self, fault: str = "") -> None:
        super().__init__(fault)
        self.queue: list[Player] = []
        self.table: list[Player] = []
        self.numbers: list[int] = []

    @property
    def order(self) -> str:
        return "little" if self.fault == "little-endian" else "big"

    async def talk(self, link: Link) -> None:
        player = Player(link)
        if self.fault == "counts a connection that hasn't played":
            self.enter(player)
        buffer = b""
        while not player.gone and (data := await link.reader.read(1000)):
            if self.fault == "takes one read for one message" and data[0] == MOVE and len(data) < 6:
                break
            buffer += data
            while buffer and not player.gone:
                size = 6 if buffer[0] == MOVE else 1
                if len(buffer) < size:
                    break
                message, buffer = buffer[:size], buffer[size:]
                if self.fault == "forgets what came with a message":
                    buffer = b""
                if not self.take(player, message):
                    player.gone = True
        self.leave(player, player.how)

    def take(self, player: Player, message: bytes) -> bool:
        """Heed a message; whether its sender may stay."""
        kind = message[0]
        player.how = "a loss"
        if kind == PLAY:
            if not player.played:
                player.played = True
                if self.fault != "counts a connection that hasn't played":
                    self.enter(player)
                return True
            spare = PLAY in player.spare and self.fault != "punishes a play after a win"
            player.spare.discard(PLAY)
            waits = player in self.queue and self.fault == "allows a second play in the queue"
            return spare or waits or self.fault == "allows a second play"
        player.how = "a fault"
        if kind == MOVE:
            made = self.move(player, message)
            player.how = "a loss" if made else "a fault"
            return made
        if kind == EXIT:
            player.how = "exit"
            return False
        if self.fault == "hangs on an unknown type":
            return True
        if self.fault == "ignores errors in the queue" and player in self.queue:
            return True
        return kind in (TURN, WIN, LOSE) and self.fault == "takes its own types"

    def move(self, player: Player, message: bytes) -> bool:
        index = message[1] - (self.fault == "counts from 1")
        amount = int.from_bytes(
            message[2:], self.order, signed=self.fault == "reads amounts as signed"  # type: ignore[arg-type]
        )  # fmt: skip
        if player not in self.table or len(self.table) < 2 or player is not self.table[0]:
            if self.fault == "moves out of turn" and player in self.table[1:]:
                self.table.reverse()
            elif MOVE in player.spare and self.fault != "punishes a move after a win":
                player.spare.discard(MOVE)
                return True
            else:
                return False
        if index >= len(self.numbers) and self.fault == "dies of a wrong index":
            self.block()
        lowest = 0 if self.fault == "takes 0" else 1
        if self.fault == "reads amounts as signed":
            lowest = -(2**31)
        if index not in range(len(self.numbers)) or amount < lowest:
            return False
        if amount > self.numbers[index]:
            if self.fault != "doesn't look at the number":
                return False
            amount = self.numbers[index]
        self.numbers[index] -= min(
            amount + (self.fault == "takes one too many"), self.numbers[index]
        )
        if not any(self.numbers):
            self.end(player)
        else:
            self.hand_over()
        return True

    def hand_over(self) -> None:
        """Let the other one move."""
        if self.fault not in ("leaves zeros in", "keeps the old indices"):
            self.numbers = [number for number in self.numbers if number]
        self.table.reverse()
        self.show(self.table[0])
        if self.fault == "shows the list to both":
            self.show(self.table[1])

    def show(self, player: Player) -> None:
        shown = self.numbers
        if self.fault == "keeps the old indices":
            shown = [number for number in shown if number]
        data = b"".join(n.to_bytes(4, self.order) for n in shown)  # type: ignore[arg-type]
        player.link.send(bytes([TURN, len(shown)]) + data)

    def enter(self, player: Player) -> None:
        """Join the queue."""
        self.queue.insert(0 if self.fault == "last come, first served" else len(self.queue), player)
        self.meet()

    def meet(self) -> None:
        """Begin a match if two are there."""
        while len(self.table) < 2 and len(self.table) + len(self.queue) > 1:
            self.table.append(self.queue.pop(0))
            if len(self.table) == 2:
                newer = self.table[1]
                newer.spare.clear()
                stays = bool(self.table[0].spare)
                turns = self.fault != "lets the winner begin" if stays else random.random() < 0.5
                if turns:
                    self.table.reverse()
                many = self.fault == "deals eleven numbers"
                size = 11 if many else random.randint(3, 10)
                self.numbers = [random.randint(1, 100) for _ in range(size)]
                self.show(self.table[0])
                if self.fault == "shows the list to both":
                    self.show(self.table[1])

    def end(self, winner: Player) -> None:
        """Tell both of the end; the winner stays."""
        [loser] = [player for player in self.table if player is not winner]
        win, lose = (LOSE, WIN) if self.fault == "swaps win and lose" else (WIN, LOSE)
        loser.link.send(bytes([lose]))
        self.reward(winner, win)
        if self.fault != "keeps the loser":
            loser.gone = True
            loser.link.close()
        self.meet()

    def reward(self, winner: Player, win: int = WIN) -> None:
        winner.link.send(bytes([win]))
        winner.spare = {PLAY, MOVE}
        self.table = [winner]
        if self.fault == "waits for another play":
            self.table, winner.played = [], False

    def leave(self, player: Player, how: str) -> None:
        """Take somebody out."""
        player.link.close()
        if self.fault == "keeps the place of who has left" and player in self.queue:
            return
        self.queue = [each for each in self.queue if each is not player]
        if player not in self.table:
            return
        first = player is self.table[0]
        self.table.remove(player)
        if self.table:
            if self.fault == "ends the match when the winner stays alone" and how == "exit":
                self.reward(self.table[0])
                self.table.pop().link.close()
            elif self.fault == "a wrong move ends it for both" and how == "a fault":
                self.table.pop().link.close()
            elif self.fault == f"no win after {how}":
                self.table[0].spare = {PLAY, MOVE}
            elif not (self.fault == "no win without a turn" and not first):
                self.reward(self.table[0])
        self.meet()


if __name__ == "__main__":
    main(Nim)
