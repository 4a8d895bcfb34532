"""What a check is made of: numbered cases, and what became of each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple

from tictac.plugins.check.rules import Level, Rule
from tictac.terminal.style import visible

MAX_WORDS = 2000
"""Characters of what a program has said, in one finding."""

MOST_DEEDS = 3
"""What the checker did last, in one finding."""

Act = Callable[[Any], Awaitable[None]]
"""What a case does; it gets a scene of its own, and raises a :class:`Finding`."""


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

    ``rules`` are those of the document that it is about; the first one says how binding it is.
    ``hint`` is what a student should mend, in one sentence. ``needs`` are numbers of cases without
    which this one says nothing. A ``gate`` runs before all that isn't one, and without others
    beside it; one that is ``alone`` runs after all others, with none beside it. ``parallel`` is a
    gate without which cases don't run side by side. One that is ``slow`` runs only if it is asked
    for, one that ``lasts`` may take so many seconds, and after one that ``leaves_unread`` more may
    come. What is ``minor``, such as a form error, no match is spoiled by: it is mended last.
    """

    number: str
    title: str
    document: str
    rules: tuple[Rule, ...]
    hint: str
    act: Act
    needs: tuple[str, ...] = ()
    gate: bool = False
    parallel: bool = False
    alone: bool = False
    slow: bool = False
    lasts: float = 0.0
    leaves_unread: bool = False
    minor: bool = False

    @property
    def level(self) -> Level:
        """How binding it is."""
        return self.rules[0].level


def legible(text: str) -> str:
    """Return words of a program as they may stand in a report.

    There aren't too many, and no control characters, which a terminal would obey and XML doesn't
    take.
    """
    return visible(text) if len(text) <= MAX_WORDS else f"{visible(text[:MAX_WORDS])} …"


class Finding(Exception):
    """What was seen of a program instead of what was expected."""

    verdict = Verdict.FAIL
    died = ""
    """How the program has ended meanwhile, if it broke."""
    missing = ""
    """The case that this one would need, if that has failed."""
    breaks = ""
    """The number of the rule that it is about, if it isn't the first one of the case."""
    setup = False
    """Whether this was seen before what the case is about."""

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected {expected}; {came}")
        self.expected, self.came = legible(expected), legible(came)


class Otherwise(Finding):
    """The program breaks no rule of its case but another one, which may bind less."""

    def __init__(self, breaks: str, expected: str, came: str) -> None:
        super().__init__(expected, came)
        self.breaks = breaks


class NotApplicable(Finding):
    """The case says nothing about this program; ``came`` is why."""

    verdict = Verdict.NOT_APPLICABLE

    def __init__(self, why: str) -> None:
        super().__init__("", why)


class Line(NamedTuple):
    """Something that happened: seconds since the case began, who, and how.

    ``how`` is ``>`` for what the checker sent, ``<`` for what the program sent, ``!`` for anything
    else, told in ``data``. ``printed`` is what is typed or printed: text in every protocol.
    """

    at: float
    who: str
    how: str
    data: bytes
    printed: bool = False


@dataclass
class Outcome:
    """What became of a case.

    ``rules`` are those that it judges by: those of the case, or the one that was broken.
    ``missing`` is the case that it needs and that didn't pass; ``died`` says how the program ended
    by it, and ``after`` how it ended when all that is judged had passed, which are the first
    ``judged`` lines of the transcript. ``printed`` is the error that a server has printed
    meanwhile. ``beside`` is what came when others ran or had run, though it passes alone. ``setup``
    says that what failed isn't what the case is about. One that was ``hurried`` might have gone
    otherwise with more patience; if the program hasn't ``survived``, others may have ended it.
    ``show`` makes text of the bytes in its transcript.
    """

    case: Case
    verdict: Verdict = Verdict.PASS
    expected: str = ""
    came: str = ""
    seconds: float = 0.0
    transcript: Sequence[Line] = ()
    missing: str = ""
    died: str = ""
    after: str = ""
    beside: str = ""
    setup: bool = False
    hurried: bool = False
    survived: bool = True
    judged: int = 0
    printed: str = ""
    show: Callable[[bytes], str] = repr
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        self.rules = self.rules or self.case.rules

    @property
    def passed(self) -> bool:
        """Whether it has seen nothing that is otherwise than it should be."""
        return self.verdict in (Verdict.PASS, Verdict.NOT_APPLICABLE)

    def lines(self) -> list[str]:
        """Return the transcript for people."""
        return [f"{line.at:7.3f}  {self._told(line)}" for line in self.transcript]

    def last_deeds(self, *, judged: bool = False) -> str:
        """Return what the checker did since the program last said something, as in the transcript.

        That is all of it, or its ``judged`` part.
        """
        deeds: list[str] = []
        for line in reversed(self.transcript[: self.judged] if judged else self.transcript):
            if line.how == "<" and deeds:
                break
            if line.how == ">" or (line.how == "!" and not line.data.startswith(b"is ")):
                deeds.insert(0, self._told(line))
        return ", ".join(deeds[-MOST_DEEDS:])

    def _told(self, line: Line) -> str:
        if line.how == "!":
            return f"({line.who} {line.data.decode()})"
        return f"{line.who}{line.how} {self._shown(line)}"

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

    ``rules`` are those of the ``document``, by number (rules.read_rules). ``scene`` makes what a
    case works with (scene.Scene) of the bench; ``probe`` sees whether a server still answers on a
    new connection; it is left out after a case that passed where the ``probe_is_seen`` by those
    that come later. ``checks_clients`` is of a suite whose programs connect to the checker.
    ``prepare`` does with the bench what must be done before the program starts. ``options`` are the
    options of the command that this suite takes: how to read each, which raises ValueError. What
    all cases must know, such as the framing, the first gate finds out and leaves in
    ``bench.found``.
    """

    name: str
    document: str
    rules: Mapping[str, Rule]
    scene: Callable[[Any, Case], Any]
    probe: Callable[[Any, Any], Awaitable[None]] | None = None
    checks_clients: bool = False
    prepare: Callable[[Any], Awaitable[None]] | None = None
    probe_is_seen: bool = False
    options: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)

    def case(
        self, number: str, title: str, rules: str, hint: str, *, needs: str = "", **kinds: bool
    ) -> Callable[[Act], Act]:
        """Decorate the coroutine function of a case.

        ``rules`` and ``needs`` are numbers between blanks.
        """

        def add(act: Act) -> Act:
            cited = tuple(self.rules[cite] for cite in rules.split())
            whole = tuple(f"{self.name}-{number}" for number in needs.split())
            self.cases.append(
                Case(
                    f"{self.name}-{number}", title, self.document, cited, hint, act, whole, **kinds
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

        The first line of a case is its number and title, in brackets with the rules that it is
        about, what it needs and which kinds it is of. Then comes the hint. What is indented goes
        on with the line before. The rest is a script, unless ``does NAME`` calls one of ``acts``,
        perhaps with a text as an argument.
        """
        text = files(package).joinpath(file).read_text("utf-8")
        for block in text.strip().split("\n\n"):
            head, hint, *script = block.replace("\n    ", " ").split("\n")
            head, _, about = head.removesuffix("]").partition(" [")
            number, _, title = head.partition(" ")
            kinds: dict[str, Any] = {}
            rules, act = "", None
            for kind in filter(None, about.split("; ")):
                word, _, rest = kind.partition(" ")
                if word in ("rule", "rules"):
                    rules = rest
                elif word == "needs":
                    kinds["needs"] = rest
                elif word == "lasts":
                    kinds["lasts"] = float(rest)
                elif word == "does":
                    name, _, argument = rest.partition(" ")
                    act = partial(acts[name], **({"text": argument} if argument else {}))
                else:
                    kinds[word] = True
            if act is None:
                lines = "\n".join(script).encode("latin-1").decode("unicode_escape")
                self.script(number, title, rules, hint, script=lines, **kinds)
            else:
                self.case(number, title, rules, hint, **kinds)(act)
