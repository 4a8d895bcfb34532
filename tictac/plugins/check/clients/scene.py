"""What cases of clients work with: a scripted server, and the program that connects to it."""

from __future__ import annotations

import re
import shlex
import shutil
import termios
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.protocol import Factory

from tictac.plugins.check.cases import Case, Finding, NotApplicable, Suite
from tictac.plugins.check.peer import Peer, shown
from tictac.plugins.check.scene import Harness, Scene, direction
from tictac.plugins.check.target import Target, free_port
from tictac.plugins.programs.program import Program, start_program

SETTLE = 1.0
"""Seconds after which a script goes on when what the client must have said by now isn't there."""

QUIET = 2.0
"""Seconds of silence, after it has said something, in which a client says what was expected."""

MOST_OUTPUT = 1 << 18
"""Bytes that a client may print in a case."""

NAME = "alice"

_COLOUR = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


class Client(Program):
    """A client that runs; what it prints is kept for each of its streams."""

    def __init__(self, note: Callable[[str, str, bytes], None]) -> None:
        super().__init__()
        self.printed = {1: b"", 2: b""}
        self._note = note
        self._waiting: Deferred[None] | None = None

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: N803
        super().childDataReceived(childFD, data)
        stream = "output" if childFD == 1 else "errors"
        if len(self.printed[childFD]) > MOST_OUTPUT:
            self._note(stream, "!", b"don't end; the client is stopped")
            self.kill()
        else:
            self._note(stream, "<", data)
            self.printed[childFD] += _COLOUR.sub(b"", data).replace(b"\r\n", b"\n")
            self._stir()

    def processEnded(self, reason: Any) -> None:
        super().processEnded(reason)
        self._stir()

    async def stirred(self, clock: Any, limit: float) -> bool:
        """Wait until it prints or ends; False when it does neither."""
        self._waiting = Deferred()
        try:
            await self._waiting.addTimeout(max(0.0, limit), clock)
        except TimeoutError:
            return False
        finally:
            self._waiting = None
        return True

    def _stir(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)


class ClientTarget(Target):
    """A client's command; each case starts it.

    ``typed`` is how a move is typed, with names of its parts in braces; empty for a client that
    plays by itself. ``terminal`` gives it a pseudo-terminal in place of pipes.
    """

    def __init__(
        self,
        reactor: Any,
        command: str,
        typed: str | None = None,
        terminal: bool = False,
        start_limit: float = 20.0,
    ) -> None:
        super().__init__(reactor, command=command, start_limit=start_limit)
        self.typed, self.terminal = typed, terminal

    def start(self) -> None:
        """Start nothing: each case has a client of its own."""


class ClientScene(Scene):
    """A case of a client: ``server`` is the checker's end of its connection.

    What scripts say besides: ``(you type A|B)`` types lines, ``(it says TEXT)`` waits for a line of
    output, ``(it ends with 0)`` for its end.
    """

    wants: tuple[str, ...] = ("host", "port")
    """What a client asks for, in this order, if it isn't in its command."""

    typed = ""
    """How a move is typed, unless the person who checks says so."""

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        assert isinstance(harness.target, ClientTarget)
        self.target = harness.target
        self.client: Client | None = None
        self.port: Any = None
        self._peers: list[Peer] = []
        self._coming: Deferred[None] | None = None
        self._seen = {1: 0, 2: 0}

    # Starting it

    def listen(self) -> int:
        """Wait for clients; the port."""
        factory = Factory.forProtocol(self._peer_for)
        self.port = self.target.reactor.listenTCP(0, factory, interface="127.0.0.1")
        number: int = self.port.getHost().port
        return number

    def start(self, port: int | str = "", *, without_arguments: bool = False) -> Client:
        """Start the client for the server at ``port``, or without saying where one is."""
        command = self.target.command or ""
        values = {"host": "127.0.0.1", "port": str(port), "name": NAME}
        asked = [name for name in self.wants if f"{{{name}}}" not in command]
        for name, value in values.items():
            command = command.replace(f"{{{name}}}", "" if without_arguments else value)
        if shutil.which("stdbuf") and not self.target.terminal:
            command = f"exec stdbuf -o0 -e0 sh -c {shlex.quote(command)}"
        self.note("checker", "!", b"starts the client")
        self.client = Client(self.note)
        reactor, terminal = self.target.reactor, self.target.terminal
        start_program(reactor, self.client, f"export PYTHONUNBUFFERED=1; {command}", terminal)
        if terminal:
            # What is typed would be read again as output.
            process: Any = self.client.transport
            modes = termios.tcgetattr(process.fd)
            modes[3] &= ~termios.ECHO
            termios.tcsetattr(process.fd, termios.TCSANOW, modes)
        if asked and not without_arguments:
            self.type(*(values[name] for name in asked))
        return self.client

    def _peer_for(self) -> Peer:
        peer = self.new_peer(f"server{len(self._peers) + 1}" if self._peers else "server")
        self._peers.append(peer)
        # The connection is made when this has returned.
        self.target.reactor.callLater(0, self._wake)
        return peer

    def _wake(self, _: object = None) -> None:
        coming, self._coming = self._coming, None
        if coming is not None:
            coming.callback(None)

    async def peer(self, name: str = "server") -> Peer:
        """The client's connection, as soon as there is one. Raises Finding."""
        if self.client is None:
            self.start(self.listen())
        while not self._peers:
            self._coming = Deferred()
            Deferred.fromCoroutine(self._running().ended()).addCallback(self._wake)
            try:
                await self._coming.addTimeout(self.target.start_limit, self.harness.clock)
            except TimeoutError:
                raise Finding("the client to connect", "it didn't") from None
            if self._running().status is not None and not self._peers:
                raise Finding("the client to connect", self._running().how_it_ended())
        return self._peers[0]

    def _running(self) -> Client:
        assert self.client is not None
        return self.client

    # Its input and output

    def type(self, *lines: str) -> None:
        """Type lines, each with its end."""
        data = "".join(f"{line}\n" for line in lines).encode()
        self.note("input", ">", data)
        transport = self._running().transport
        if self._running().status is None and transport is not None:
            transport.write(data)

    async def says(self, *texts: str) -> None:
        """Wait until it prints lines that end with these, one after the other. Raises Finding."""
        for text in texts:
            limit = self.harness.patience.limit
            if not await self.look(text, limit, max(QUIET, limit / 5)):
                printed = self.unseen()
                came = f"it printed {shown(printed)}" if printed else "it printed nothing"
                raise Finding(f'the client to print "{text}"', came)

    async def settle(self, *texts: str) -> None:
        """Give it time to print this; another case judges whether it does."""
        for text in texts:
            if not await self.look(text, SETTLE, SETTLE):
                return

    def printed(self, text: str, stream: int) -> bool:
        """Whether it has printed this on standard output (1) or standard error (2)."""
        return text.encode() in self._running().printed[stream]

    def unseen(self) -> bytes:
        """What it has printed since what was found last."""
        printed = self._running().printed
        return b"".join(printed[stream][self._seen[stream] :] for stream in (1, 2))

    async def look(self, text: str, limit: float, quiet: float) -> bool:
        """Whether it prints a line that ends with this, within a time and before such a silence."""
        wanted = re.compile(re.escape(text.encode()) + rb"[ \t]*(?:\n|\Z)")
        clock, client = self.harness.clock, self._running()
        late = clock.seconds() + limit
        while True:
            for stream, printed in client.printed.items():
                if found := wanted.search(printed, self._seen[stream]):
                    self._seen[stream] = found.end()
                    return True
            left = late - clock.seconds()
            if client.status is not None or left <= 0:
                return False
            if not await client.stirred(clock, min(left, quiet) if self.unseen() else left):
                return False

    async def ends(self, well: bool | None = None) -> None:
        """Wait until it has ended, with exit status 0 or with another one. Raises Finding."""
        client, limit = self._running(), self.harness.patience.limit
        how = {True: " with exit status 0", False: " with another exit status than 0", None: ""}
        try:
            await Deferred.fromCoroutine(client.ended()).addTimeout(limit, self.harness.clock)
        except TimeoutError:
            came = f"it still ran {limit:g} s later"
            raise Finding(f"the client to end{how[well]}", came) from None
        crashed = (client.status or 0) < 0 or b"Traceback (most recent" in client.printed[2]
        if crashed or (well is not None and well is not (client.status == 0)):
            expected = f"the client to end{how[well]}" + (" and a line of its own" * crashed)
            raise Finding(expected, client.how_it_ended())

    @direction("it connects")
    async def _connects(self, name: str = "server") -> None:
        await self.peer(name)

    @direction(r"you type (.*)")
    async def _typed(self, lines: str) -> None:
        await self.peer()
        self.type(*lines.split("|"))

    @direction(r"it says (.*)")
    async def _says(self, text: str) -> None:
        await self.says(text)

    @direction(r"it ends(?: with (0|an error))?")
    async def _ends(self, how: str | None = None) -> None:
        await self.ends(how == "0" if how else None)

    @direction(r"its input ends")
    async def _input_ends(self) -> None:
        if self.target.terminal:
            raise NotApplicable("a terminal's input doesn't end")
        self.note("input", "!", b"ends")
        process: Any = self._running().transport
        process.closeStdin()

    @direction(r"nothing more comes")
    async def _nothing_more(self) -> None:
        await self.wait(SETTLE)
        (await self.peer()).expect_nothing_unread()

    @direction(r"it has settled")
    async def _has_settled(self) -> None:
        await self.wait(SETTLE)

    @direction(r"the server hangs up")
    async def _hangs_up_on_it(self) -> None:
        (await self.peer()).hang_up()

    # Moves

    @direction("there is no server")
    async def _no_server(self) -> None:
        """Start it where there is no server: it must say so, and end with an error."""
        client = self.start(free_port("127.0.0.1"))
        await self.ends(False)
        if not client.printed[1] + client.printed[2]:
            raise Finding("a word about why it ends", "it printed nothing")

    def type_move(self, **parts: object) -> None:
        """Type a move as its client takes it; nothing for one that plays by itself."""
        typed = self.typed if self.target.typed is None else self.target.typed
        if typed:
            self.type(*typed.replace("\\n", "\n").format(**parts).split("\n"))

    @property
    def plays_itself(self) -> bool:
        """Whether nobody types its moves."""
        return not (self.typed if self.target.typed is None else self.target.typed)

    async def finish(self) -> None:
        """Judge nothing: whether something more has come by now is left to chance."""

    async def play(self, script: str) -> None:
        """Do what each line says; a Finding tells how the client has ended, too, if it has."""
        try:
            await super().play(script)
        except NotApplicable:
            raise
        except Finding as finding:
            client = self.client
            if client is not None and "it ended with" not in finding.came:
                if "closed" in finding.came and client.status is None:
                    await client.stirred(self.harness.clock, SETTLE)
                if client.status:
                    finding.died = client.how_it_ended()
                elif client.status is not None:
                    finding.came += f"; {client.how_it_ended()}"
            raise

    async def close(self) -> None:
        await super().close()
        if self.client is not None:
            self.client.kill()
            await self.client.ended()
        if self.port is not None:
            await self.port.stopListening()


def client_suite(
    protocol: str, document: str, scene: type[ClientScene], package: str, file: str = "client.txt"
) -> Suite:
    """Return the suite for clients of a protocol, with the cases of a text in ``package``."""
    suite = Suite(f"{protocol}-client", document, scene, checks_clients=True)
    suite.read_cases(package, file, {})
    return suite
