"""What a check is made of: numbered cases, and what became of each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple

from tictac.terminal.style import visible

MAX_WORDS = 2000
"""Characters of what a program has said, in one finding."""

Act = Callable[[Any], Awaitable[None]]
"""What a case does; it gets a scene of its own, and raises a :class:`Finding`."""


class Level(StrEnum):
    """How binding a case is: what the source says, what this project decided where the source
    is silent, and what a program may offer or not."""

    REQUIRED = "required"
    DECIDED = "decided"
    OPTIONAL = "optional"


class Verdict(StrEnum):
    """What became of a case. ``DIFFERS``: it isn't so, and needn't be."""

    PASS = "pass"
    FAIL = "fail"
    DIFFERS = "differs"
    UNCLEAR = "unclear"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, eq=False)
class Case:
    """Something that a document says, and how to see whether a program does it.

    ``says`` is the document's sentence, ``hint`` what a student should mend, each in one
    sentence. ``needs`` are numbers of cases without which this one says nothing. A ``gate`` runs
    before all that isn't one, and without others beside it; one that is ``alone`` runs after all
    others, likewise. ``parallel`` is a gate without which cases don't run side by side. One that
    is ``slow`` runs only if it is asked for; after one that ``leaves_unread`` more may come. What
    is ``minor``, such as a form error, no match is spoiled by: it is mended last.
    """

    number: str
    title: str
    document: str
    section: str
    says: str
    hint: str
    act: Act
    level: Level = Level.REQUIRED
    needs: tuple[str, ...] = ()
    gate: bool = False
    parallel: bool = False
    alone: bool = False
    slow: bool = False
    leaves_unread: bool = False
    minor: bool = False


def legible(text: str) -> str:
    """Words of a program as they may stand in a report: not too many, and no control characters,
    which a terminal would obey and XML doesn't take."""
    return visible(text) if len(text) <= MAX_WORDS else f"{visible(text[:MAX_WORDS])} …"


class Finding(Exception):
    """What was seen of a program instead of what was expected."""

    verdict = Verdict.FAIL
    died = ""
    """How the program has ended meanwhile, if it broke."""

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected {expected}; {came}")
        self.expected, self.came = legible(expected), legible(came)


class NotApplicable(Finding):
    """The case says nothing about this program; ``came`` is why."""

    verdict = Verdict.NOT_APPLICABLE

    def __init__(self, why: str) -> None:
        super().__init__("", why)


class Line(NamedTuple):
    """Something that happened: seconds since the case began, who, and how: ``>`` sent by the
    checker, ``<`` sent by the program, ``!`` anything else, told in ``data``.
    ``printed`` is what is typed or printed, which is text in every protocol."""

    at: float
    who: str
    how: str
    data: bytes
    printed: bool = False


@dataclass
class Outcome:
    """What became of a case.

    ``missing`` is the case that it needs and that didn't pass; ``died`` says how the program ended
    by it. One that was ``hurried`` might have gone otherwise with more patience. ``show`` makes
    text of the bytes in its transcript.
    """

    case: Case
    verdict: Verdict = Verdict.PASS
    expected: str = ""
    came: str = ""
    seconds: float = 0.0
    transcript: Sequence[Line] = ()
    missing: str = ""
    died: str = ""
    hurried: bool = False
    show: Callable[[bytes], str] = repr

    def lines(self) -> list[str]:
        """The transcript for people."""
        return [
            f"{line.at:7.3f}  ({line.who} {line.data.decode()})"
            if line.how == "!"
            else f"{line.at:7.3f}  {line.who}{line.how} {self._shown(line)}"
            for line in self.transcript
        ]

    def _shown(self, line: Line) -> str:
        # Of what a program prints the end says most: there it says why it broke.
        return (
            repr(line.data.decode(errors="replace")[-200:])
            if line.printed
            else self.show(line.data)
        )


@dataclass
class Suite:
    """The cases of a protocol, in the order in which they depend on each other.

    ``scene`` makes what a case works with (scene.Scene) of the bench; ``probe`` sees whether a
    server still answers on a new connection. ``checks_clients`` is of a suite whose programs
    connect to the checker. What all cases must know, such as the framing, the first gate finds
    out and leaves in ``bench.found``.
    """

    name: str
    document: str
    scene: Callable[[Any, Case], Any]
    probe: Callable[[Any, Any], Awaitable[None]] | None = None
    checks_clients: bool = False
    cases: list[Case] = field(default_factory=list)

    def case(
        self,
        number: str,
        title: str,
        section: str,
        says: str,
        hint: str,
        *,
        needs: str = "",
        level: Level = Level.REQUIRED,
        **kinds: bool,
    ) -> Callable[[Act], Act]:
        """Decorate the coroutine function of a case; ``needs`` are numbers between blanks."""

        def add(act: Act) -> Act:
            whole = tuple(f"{self.name}-{number}" for number in needs.split())
            self.cases.append(
                Case(
                    f"{self.name}-{number}", title, self.document, section, says, hint,
                    act, level, whole, **kinds,
                )
            )  # fmt: skip
            return act

        return add

    def script(self, *about: str, script: str, **kinds: Any) -> None:
        """Add a case that plays a transcript (scene.Scene.play)."""

        async def act(scene: Any) -> None:
            await scene.play(script)

        self.case(*about, **kinds)(act)

    def read_cases(
        self, package: str, file: str, acts: Mapping[str, Callable[..., Awaitable[None]]]
    ) -> None:
        """Add the cases of a text in a package, with an empty line between two of them.

        The first line of a case is its number and title, in brackets with what it needs and which
        kinds it is of. Then come the section with what it says, and the hint. What is indented
        goes on with the line before. The rest is a script, unless ``does NAME`` calls one of
        ``acts``, perhaps with a text as an argument.
        """
        text = files(package).joinpath(file).read_text("utf-8")
        for block in text.strip().split("\n\n"):
            head, says, hint, *script = block.replace("\n    ", " ").split("\n")
            head, _, about = head.removesuffix("]").partition(" [")
            number, _, title = head.partition(" ")
            section, _, says = says.partition(": ")
            described = (number, title, section, says, hint)
            kinds: dict[str, Any] = {}
            act = None
            for kind in filter(None, about.split("; ")):
                word, _, rest = kind.partition(" ")
                if word == "needs":
                    kinds["needs"] = rest
                elif word == "does":
                    name, _, argument = rest.partition(" ")
                    act = partial(acts[name], **({"text": argument} if argument else {}))
                elif word in set(Level):
                    kinds["level"] = Level(word)
                else:
                    kinds[word] = True
            if act is None:
                lines = "\n".join(script).encode("latin-1").decode("unicode_escape")
                self.script(*described, script=lines, **kinds)
            else:
                self.case(*described, **kinds)(act)
