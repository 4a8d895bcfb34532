"""The scene of a client's case: a scripted server, and the process of the client."""

from __future__ import annotations

import re
import shlex
import shutil
import termios
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, SupportsIndex

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IReactorTCP, IReactorTime
from twisted.internet.protocol import ServerFactory
from twisted.python.failure import Failure

from tictac.errors import SetupError, visible
from tictac.plugins.check.cases import Case, Finding, NotApplicable, Suite
from tictac.plugins.check.peer import MAX_SHOWN, Peer, shown
from tictac.plugins.check.report import ENDLESS
from tictac.plugins.check.rules import Rule
from tictac.plugins.check.scene import Harness, Scene, direction
from tictac.plugins.check.sockets import is_from_other_process
from tictac.plugins.check.target import Target, free_port
from tictac.plugins.programs.program import Program, as_user, last_words, start_program

SETTLE = 1.0
"""Seconds that a script waits for output that is optional, or for silence."""

QUIET = 2.0
"""Seconds of silence after other output, after which the expected output is missing."""

ENDING = 20.0
"""Minimum seconds until a client must have ended; some wait so that people can read the result."""

MOST_OUTPUT = 1 << 18
"""Maximum bytes that a client can print in a case."""

NAME = "alice"

_COLOUR = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


def as_printed(text: str) -> re.Pattern[bytes]:
    """Return a pattern for a line that ends with ``text``.

    Words in braces are optional, because the sources lost these names. A mode can be in upper or
    lower case. An apostrophe can be curved, and a period or a quotation mark can follow.
    """
    pattern = ""
    for number, part in enumerate(re.split(r"\s*\{(.*?)\}\s*", text.rstrip("."))):
        words = re.escape(part).replace("'", "(?:'|\u2019)")
        if number % 2:
            words = f"(?i:{words})" if part.upper() in MODES else words
            words = rf"\s*(?:{words})?\s*"
            words += "".join(f"(?<!{other} )" for other in PEOPLE if other != part)
        pattern += words
    return re.compile((pattern + "[.!\"' \t\u2019\u201d]*(?:\n|\\Z)").encode())


def describe_output(printed: bytes) -> str:
    """Return a clause about the end of a client's output: the last bytes show the difference."""
    if len(printed) <= MAX_SHOWN:
        return f"it printed {shown(printed)}" if printed else "it printed nothing"
    return f"it printed {len(printed)} bytes, and last {shown(printed[-MAX_SHOWN:])}"


def first_difference(printed: bytes, wanted: Sequence[str]) -> str:
    """Return a clause about the first line that differs from ``wanted``, where most lines agree."""
    lines = [line.rstrip() for line in printed.decode(errors="replace").splitlines()]
    starts = range(max(1, len(lines)))
    same = {at: sum(map(str.__eq__, lines[at:], wanted)) for at in starts}
    best = max(same, key=lambda at: (same[at], at))
    if not same[best]:
        return describe_output(printed)
    pairs = zip_longest(lines[best : best + len(wanted)], wanted, fillvalue="")
    line, right = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    return f"where {shown(right.encode())} belongs, it printed {shown(line.encode())}"


PEOPLE = ("alice", "bob", "carol")
"""The people of scripts. In place of words in braces, another person's name is wrong."""

MODES = ("PLAYER", "VIEWER")


class Client(Program):
    """The process of a client.

    ``printed`` has its output by file descriptor (1 and 2), without colors.
    """

    def __init__(self, note: Callable[[str, str, bytes], None]) -> None:
        super().__init__()
        self.printed = {1: b"", 2: b""}
        self.floods = False
        self._note = note
        self._waiting: Deferred[None] | None = None

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: N803
        super().childDataReceived(childFD, data)
        stream = "output" if childFD == 1 else "errors"
        if self.floods:
            return
        if len(self.printed[childFD]) > MOST_OUTPUT:
            self.floods = True
            self._note(stream, "!", b"is endless, and the checker ends the client")
            self.kill()
        else:
            self._note(stream, "<", data)
            self.printed[childFD] += _COLOUR.sub(b"", data).replace(b"\r\n", b"\n")
            self._wake()

    def processEnded(self, reason: Failure) -> None:
        super().processEnded(reason)
        self._wake()

    def how_it_ended(self) -> str:
        if not self.floods:
            return super().how_it_ended()
        flood = max(self.printed.values(), key=len)
        words = last_words(flood.rpartition(b"\n")[0] or flood)
        return f"{ENDLESS}, so the checker ended it after {MOST_OUTPUT >> 10} KiB: {words}"

    async def wait_for_change(self, clock: IReactorTime, limit: float) -> bool:
        """Wait until the client prints or ends; return False after ``limit`` seconds."""
        self._waiting = Deferred()
        try:
            await self._waiting.addTimeout(max(0.0, limit), clock)
        except TimeoutError:
            return False
        finally:
            self._waiting = None
        return True

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)


class ClientTarget(Target):
    """The command of the client under test, which each case starts.

    The checker listens at ``host`` and ``port``. If ``port`` is 0, each case gets a free port.
    ``typed`` is the form of a typed move, with its parts in braces: None for the default of the
    suite, and empty for a client that plays without a user. With ``terminal``, the client gets a
    pseudo-terminal in place of pipes.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        command: str,
        typed: str | None = None,
        terminal: bool = False,
        start_limit: float = 20.0,
        host: str = "127.0.0.1",
        port: int = 0,
        run_as: str = "",
    ) -> None:
        super().__init__(reactor, host, port, command, start_limit=start_limit, run_as=run_as)
        self.typed, self.terminal = typed, terminal

    def start(self) -> None:
        """Do nothing, because each case starts its own client."""


class Part(str):
    """A part of a typed move, such as ``{verb}``.

    The format ``{verb:lower}`` changes it to lower case, and ``{verb[0]}`` is its first letter.
    """

    def __getitem__(self, at: SupportsIndex | slice) -> Part:
        return Part(super().__getitem__(at))

    def __format__(self, spec: str) -> str:
        return self.lower() if spec == "lower" else super().__format__(spec)


class _Listener(ServerFactory):
    """Accepts connections of the case's client, and refuses all others."""

    noisy = False

    def __init__(self, scene: ClientScene) -> None:
        self._scene = scene

    def buildProtocol(self, addr: object) -> Peer | None:
        return self._scene.peer_for(addr)


class ClientScene(Scene):
    """A case of a client. In scripts, ``server`` is the checker's end of the connection.

    Some directions: ``(you type A|B)`` types two lines, ``(it says TEXT)`` waits for a line of
    output, and ``(it ends)`` for the end of the process.
    """

    wants: tuple[str, ...] = ("host", "port")
    """The values that the client asks for if its command lacks them; ``--asks`` replaces them."""

    typed = ""
    """The form of a typed move; ``--typed`` replaces it."""

    complains_on: tuple[int, ...] = (1, 2)
    """The file descriptors on which the client can print why it ends."""

    parts: tuple[str, ...] = ()
    """The parts of a move that can be in braces in ``typed``."""

    def __init__(self, harness: Harness, case: Case) -> None:
        super().__init__(harness, case)
        assert isinstance(harness.target, ClientTarget)
        self.target = harness.target
        self.client: Client | None = None
        self.name_given = NAME
        self.port: Any = None
        self._peers: list[Peer] = []
        self._coming: Deferred[None] | None = None
        self._seen = {1: 0, 2: 0}

    # Start

    def listen(self, port: int = 0) -> int:
        """Listen for the client at ``port`` or the target's, and return it. Raises SetupError."""
        target = self.target
        port = port or target.port
        try:
            self.port = IReactorTCP(target.reactor).listenTCP(
                port, _Listener(self), interface=target.host
            )
        except CannotListenError as error:
            why = error.socketError.strerror
            raise SetupError(f"the checker can't listen at port {port}: {why}") from None
        number: int = self.port.getHost().port
        return number

    def values(self, port: str) -> dict[str, str]:
        """Return what replaces the words in braces in the command, by these words."""
        return {"host": self.target.host, "port": port, "name": self.name_given}

    def start(self, port: int | str = "", *, without_arguments: bool = False) -> Client:
        """Start the client, with the server's ``port`` or ``without_arguments``."""
        command, values = self.target.command or "", self.values(str(port))
        # With a fixed port, the user's command already names the host and the port.
        known = ("host", "port") if self.target.port else ()
        wants = self.harness.options.get("asks", self.wants)
        asked = [name for name in wants if f"{{{name}}}" not in command and name not in known]
        answers = [values.get(name, name.removeprefix("=")) for name in asked]
        for name, value in values.items():
            given = "" if without_arguments else shlex.quote(value)
            command = command.replace(f"{{{name}}}", given)
        if shutil.which("stdbuf") and not self.target.terminal:
            command = f"exec stdbuf -o0 -e0 sh -c {shlex.quote(command)}"
        self.note("checker", "!", b"starts the client")
        self.client = Client(self.note)
        reactor, terminal = self.target.reactor, self.target.terminal
        command = as_user(f"export PYTHONUNBUFFERED=1; {command}", self.target.run_as)
        start_program(reactor, self.client, command, terminal)
        if terminal:
            # With echo, the checker would read its own input as output of the client.
            process: Any = self.client.transport
            modes = termios.tcgetattr(process.fd)
            modes[3] &= ~termios.ECHO
            termios.tcsetattr(process.fd, termios.TCSANOW, modes)
        if asked and not without_arguments:
            self.type(*answers)
        return self.client

    async def start_again(self) -> None:
        """End the client, and start another one."""
        client = self._running()
        client.kill()
        await client.ended()
        self._peers.clear()
        self._seen = {1: 0, 2: 0}
        self.start(self.port.getHost().port)

    def peer_for(self, address: object) -> Peer | None:
        """Return a Peer for a connection from ``address``; None if it isn't the client's."""
        own = self.port.getHost()
        if self.client is None or is_from_other_process(own, address, self.client.pid):
            self.note("a stranger", "!", b"connects, and is sent away")
            return None
        peer = self.new_peer(f"server{len(self._peers) + 1}" if self._peers else "server")
        self._peers.append(peer)
        # Twisted connects the Peer after this method returns.
        self.target.reactor.callLater(0, self._wake)
        return peer

    def _wake(self, _: object = None) -> None:
        coming, self._coming = self._coming, None
        if coming is not None:
            coming.callback(None)

    async def peer(self, name: str = "server") -> Peer:
        """Return the client's connection; start the client if necessary. Raises Finding."""
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
        """Write lines to the client's input."""
        data = "".join(f"{line}\n" for line in lines).encode()
        self.note("input", ">", data)
        transport = self._running().transport
        if self._running().status is None and transport is not None:
            transport.write(data)

    async def expect_output(self, *texts: str) -> None:
        """Wait until the client prints lines that end with ``texts``, in order. Raises Finding."""
        for text in texts:
            limit = self.harness.patience.limit
            if not await self.wait_for_text(text, limit, max(QUIET, limit / 5)):
                printed = self.new_output()
                came = describe_output(printed)
                if found := re.search(as_printed(text).pattern, printed, re.IGNORECASE):
                    line = printed[printed.rfind(b"\n", 0, found.start()) + 1 : found.end()]
                    came = f"{shown(line.strip())} has other capitals"
                words = text.replace("{", "").replace("}", "")
                raise Finding(f'the client to print "{words}"', came)

    async def allow_output(self, *texts: str) -> None:
        """Give the client time to print ``texts``; another case judges whether it does."""
        for text in texts:
            if not await self.wait_for_text(text, SETTLE, SETTLE):
                return

    def printed(self, text: str, stream: int) -> bool:
        """Return whether the client printed a text on a stream: output (1) or errors (2)."""
        return as_printed(text).search(self._running().printed[stream]) is not None

    def new_output(self) -> bytes:
        """Return the output after the last match, of both streams."""
        printed = self._running().printed
        return b"".join(printed[stream][self._seen[stream] :] for stream in (1, 2))

    async def wait_for_text(self, text: str, limit: float, quiet: float) -> bool:
        """Return whether the client prints a line with this end; see ``wait_for_output``."""
        return await self.wait_for_output(as_printed(text), limit, quiet)

    async def wait_for_output(
        self, wanted: re.Pattern[bytes], limit: float | None = None, quiet: float = QUIET
    ) -> bool:
        """Return whether the client prints new output that matches.

        Stop waiting after ``limit`` seconds, or after ``quiet`` seconds without output if there is
        other output.
        """
        limit = self.harness.patience.limit if limit is None else limit
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
            if not await client.wait_for_change(
                clock, min(left, quiet) if self.new_output() else left
            ):
                return False

    async def expect_end(self) -> None:
        """Wait until the client ends, with any exit status. Raises Finding if it crashed."""
        client, limit = self._running(), max(self.harness.patience.limit, ENDING)
        try:
            await Deferred.fromCoroutine(client.ended()).addTimeout(limit, self.harness.clock)
        except TimeoutError:
            if self._peers and all(peer.has_been_left() for peer in self._peers):
                return  # It waits for a person who reads the end of the match.
            came = f"it still ran {limit:g} s later"
            raise Finding("the client to end", came) from None
        if client.floods or (client.status or 0) < 0:
            raise Finding("the client to end by itself", client.how_it_ended())
        if b"Traceback (most recent" in client.printed[2]:
            came = f"it ended by an error that it didn't catch: {last_words(client.printed[2])}"
            raise Finding("the client to end by itself, with any exit status", came)

    async def expect_end_or_connection(self) -> None:
        """Wait until the client ends, or opens another connection. Raises Finding."""
        client, known = self._running(), len(self._peers)
        limit = max(self.harness.patience.limit, ENDING)
        late = self.harness.clock.seconds() + limit
        Deferred.fromCoroutine(client.ended()).addCallback(self._wake)
        while client.status is None and len(self._peers) == known:
            self._coming = Deferred()
            try:
                left = max(0.0, late - self.harness.clock.seconds())
                await self._coming.addTimeout(left, self.harness.clock)
            except TimeoutError:
                came = f"it still ran {limit:g} s later, without a connection"
                raise Finding("the client to end, or to connect again", came) from None
        if client.status is not None:
            await self.expect_end()

    @direction("it connects")
    async def _connects(self, name: str = "server") -> None:
        await self.peer(name)

    @direction("it ends, or connects again")
    async def _ends_or_returns(self) -> None:
        await self.expect_end_or_connection()

    @direction("there is no server at first")
    async def _no_server_at_first(self) -> None:
        """Start the client without a server; after its message, it ends or finds the server."""
        port = self.target.port or free_port(self.target.host)
        client = self.start(port)
        if not await self.wait_for_output(re.compile(rb"\w")):
            raise Finding("a word about why it can't connect", client.how_it_ended())
        if client.status is None:
            self.listen(port)
            await self.expect_end_or_connection()
        else:
            await self.expect_end()

    @direction(r"you type (.*)")
    async def _typed(self, lines: str) -> None:
        await self.peer()
        self.type(*lines.split("|"))

    @direction(r"it says (.*)")
    async def _says(self, text: str) -> None:
        await self.expect_output(text)

    @direction("its output is read")
    def _output_is_read(self) -> None:
        """Ignore the output so far."""
        for stream, printed in self._running().printed.items():
            self._seen[stream] = len(printed)

    @direction("it is still there")
    async def _is_still_there(self) -> None:
        if (await self.peer()).closed is not None or self._running().status is not None:
            raise Finding("the client to stay", "it has left")

    @direction("it prints something")
    async def _prints_something(self) -> None:
        """Expect any new line of output; another case judges its words."""
        if not await self.wait_for_output(re.compile(rb"[^\n]*\w[^\n]*\n")):
            raise Finding("the client to print what has come", describe_output(self.new_output()))

    @direction("it ends")
    async def _ends(self) -> None:
        await self.expect_end()

    @direction("it ends, and says why")
    async def expect_error_message(self) -> None:
        """Check that the client ends, and that it printed an error message. Raises Finding."""
        await self.expect_end()
        if not b"".join(self._running().printed[each] for each in self.complains_on).strip():
            where = "standard error" if self.complains_on == (2,) else "either stream"
            came = f"it printed nothing there; {self._running().how_it_ended()}"
            raise Finding(f"a word on {where} about why it ends", came)

    @direction("its connection ends")
    async def connection_ends(self) -> None:
        """Wait until the client closes the connection. Raises Finding."""
        await (await self.peer()).expect_close()

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
        """Start the client without a server; the client must print an error and end."""
        self.start(self.target.port or free_port(self.target.host))
        await self.expect_error_message()

    def type_move(self, **parts: object) -> None:
        """Type a move in the client's form; do nothing if it plays without a user."""
        typed = self.typed if self.target.typed is None else self.target.typed
        if typed:
            words = {name: Part(part) for name, part in parts.items()}
            self.type(*typed.replace("\\n", "\n").format(**words).split("\n"))

    @classmethod
    def check_typed(cls, typed: str) -> None:
        """Raise SetupError if ``typed`` isn't a form for the moves of this suite."""
        try:
            typed.format(**dict.fromkeys(cls.parts, Part("1")))
        except (LookupError, ValueError, AttributeError):
            parts = ", ".join(f"{{{name}}}" for name in cls.parts) or "nothing in braces"
            why = f"--typed '{visible(typed)}': a move of this client has the parts {parts}"
            raise SetupError(why) from None

    @property
    def plays_itself(self) -> bool:
        """Whether no user types its moves."""
        return not (self.typed if self.target.typed is None else self.target.typed)

    async def finish(self) -> None:
        """Do nothing, because it depends on chance whether other messages have arrived by now."""

    async def play(self, script: str) -> None:
        """Run a script; add to a Finding how the client ended, if it ended."""
        try:
            await super().play(script)
        except NotApplicable:
            raise
        except Finding as finding:
            client = self.client
            if client is not None and "it ended with" not in finding.came:
                if "closed" in finding.came and client.status is None:
                    await client.wait_for_change(self.harness.clock, SETTLE)
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


def read_asks(text: str, known: Sequence[str] = ("host", "port", "name")) -> tuple[str, ...]:
    """Return the answers in the value of ``--asks``: names of values, and words after ``=``.

    Raises ValueError if a name isn't ``known``.
    """
    asked = tuple(text.split(","))
    names = [each for each in asked if not each.startswith("=")]
    if len(set(names)) < len(names) or not set(names) <= set(known):
        raise ValueError(f"that is some of {', '.join(known)} and =WORD, with commas between")
    return asked


def client_suite(
    protocol: str,
    document: str,
    rules: Mapping[str, Rule],
    scene: type[ClientScene],
    package: str,
    file: str = "client.txt",
    **options: Callable[[Any], Any],
) -> Suite:
    """Return the suite for clients of a protocol, with the cases in a file of ``package``.

    The suite takes ``--asks`` and the given ``options``.
    """
    suite = Suite(f"{protocol}-client", document, rules, scene, checks_clients=True)
    suite.options = {"asks": read_asks, **options}
    suite.read_cases(package, file, {})
    return suite
