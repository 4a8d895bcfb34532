"""Cases, suites of cases, and the outcomes of cases."""

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
"""Maximum characters of a program's output in one finding."""

MOST_ACTIONS = 3
"""Maximum number of the checker's last actions in one finding."""

Act = Callable[[Any], Awaitable[None]]
"""The function of a case: it gets a new scene, and raises :class:`Finding` on failure."""


@dataclass(frozen=True)
class Script:
    """The function of a case that plays a script."""

    script: str

    async def __call__(self, scene: Any) -> None:
        await scene.play(self.script)


class Verdict(StrEnum):
    """The result of a case.

    ``DIFFERS``: the program breaks a rule that isn't binding. ``UNCLEAR``: the checker can't
    decide.
    """

    PASS = "pass"
    FAIL = "fail"
    DIFFERS = "differs"
    UNCLEAR = "unclear"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, eq=False)
class Case:
    """One test of a program against rules of a document.

    - ``rules``: the tested rules. A line of a script that tests another than the first one names
      it. The level of the broken rule decides whether a failure counts.
    - ``hint``: a sentence that says what a student should repair.
    - ``needs``: the numbers of cases that must pass before this case can be judged.
    - ``gate``: the case runs before all other cases, and alone.
    - ``parallel``: the case is a gate. If it fails, cases don't run in parallel.
    - ``alone``: the case runs after all other cases, and alone.
    - ``slow``: the case runs only with ``--slow``.
    - ``lasts``: the seconds that the case can take, if they exceed the usual limit.
    - ``leaves_unread``: unread messages at the end are no failure.
    - ``minor``: the failure spoils no match, such as an error of form. The report lists it last.
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
        """The level of the first rule."""
        return self.rules[0].level


def legible(text: str) -> str:
    """Return a program's output in a form that is safe in a report.

    The text has at most ``MAX_WORDS`` characters. It has no control characters, because a terminal
    would execute them, and XML forbids them.
    """
    return visible(text) if len(text) <= MAX_WORDS else f"{visible(text[:MAX_WORDS])} …"


class Finding(Exception):
    """Raised by a case when the program doesn't do what a rule expects.

    ``expected`` and ``came`` are phrases: the expected behavior, and the observed one.
    """

    verdict = Verdict.FAIL
    died = ""
    """How the program ended during the case, if it crashed."""
    missing = ""
    """The number of the failed case that this case needs, if any."""
    breaks = ""
    """The number of the broken rule, if it isn't the first rule of the case."""
    silent = False
    """Whether nothing came at all."""
    extra = False
    """Whether only a message came that nothing asked for, after all else was right."""
    setup = False
    """Whether the failure happened during the preparation of the case."""

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected {expected}; {came}")
        self.expected, self.came = legible(expected), legible(came)


class OtherRuleBroken(Finding):
    """Raised when the program breaks another rule than the first one of the case.

    ``breaks`` is the number of that rule, whose level can be lower.
    """

    def __init__(self, breaks: str, expected: str, came: str) -> None:
        super().__init__(expected, came)
        self.breaks = breaks


class NotApplicable(Finding):
    """Raised when the case can't test this program; ``came`` is the reason."""

    verdict = Verdict.NOT_APPLICABLE

    def __init__(self, why: str) -> None:
        super().__init__("", why)


class Line(NamedTuple):
    """One line of a transcript.

    ``at`` is the number of seconds since the case began, and ``who`` names the connection or the
    stream. ``how`` is ``>`` if the checker sent ``data``, ``<`` if the program sent it, and ``!``
    for other events, with a description in ``data``. ``printed`` marks terminal input and output,
    which is text in every protocol.
    """

    at: float
    who: str
    how: str
    data: bytes
    printed: bool = False


@dataclass
class Outcome:
    """The result of a case.

    - ``expected``, ``came``: the phrases of the finding, if the case failed.
    - ``seconds``: the duration.
    - ``missing``: the number of the needed case that didn't pass.
    - ``died``: how the program ended during the case. ``after``: how it ended after a passed case.
    - ``beside``: the failure in parallel with other cases, if the case passes alone.
    - ``setup``: the failure happened during the preparation.
    - ``silent``: nothing came in place of the expected message.
    - ``extra``: only a message came that nothing asked for; other cases don't depend on that.
    - ``hurried``: the case paused, and longer pauses can change its result.
    - ``survived``: the program didn't end while the case ran.
    - ``judged``: the number of lines in the transcript up to the end of the judgment.
    - ``printed``: the error message that a server printed during the case.
    - ``show``: the function that makes text of the bytes in the transcript.
    - ``rules``: the rules of the case, or the broken rule alone.
    - ``hint``: the hint of the case, or of the case whose first rule is the broken one.
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
    silent: bool = False
    extra: bool = False
    hurried: bool = False
    survived: bool = True
    judged: int = 0
    printed: str = ""
    show: Callable[[bytes], str] = repr
    rules: tuple[Rule, ...] = ()
    hint: str = ""

    def __post_init__(self) -> None:
        self.rules = self.rules or self.case.rules
        self.hint = self.hint or self.case.hint

    @property
    def title(self) -> str:
        """The title of the case, or the text of the broken rule if it isn't the first one."""
        broken = self.rules[0]
        return self.case.title if broken is self.case.rules[0] else broken.says.rstrip(".")

    @property
    def passed(self) -> bool:
        """Whether the case found no failure and no difference."""
        return self.verdict in (Verdict.PASS, Verdict.NOT_APPLICABLE)

    def lines(self) -> list[str]:
        """Return the transcript as text, one line for each event."""
        return [f"{line.at:7.3f}  {self._format_line(line)}" for line in self.transcript]

    def last_actions(self, *, judged: bool = False) -> str:
        """Return the checker's last actions since the program last sent something.

        Read the whole transcript, or only its ``judged`` lines.
        """
        deeds: list[str] = []
        for line in reversed(self.transcript[: self.judged] if judged else self.transcript):
            if line.how == "<" and deeds:
                break
            if line.how == ">" or (line.how == "!" and not line.data.startswith(b"is ")):
                deeds.insert(0, self._format_line(line))
        return ", ".join(deeds[-MOST_ACTIONS:])

    def _format_line(self, line: Line) -> str:
        if line.how == "!":
            return f"({line.who} {line.data.decode()})"
        return f"{line.who}{line.how} {self._format_data(line)}"

    def _format_data(self, line: Line) -> str:
        # The end of a program's output is most useful: it has the reason for a crash.
        return (
            repr(line.data.decode(errors="replace")[-200:])
            if line.printed
            else self.show(line.data)
        )


@dataclass
class Suite:
    """The cases of a protocol, in the order in which they depend on each other.

    - ``rules``: the rules of ``document``, by number (rules.read_rules).
    - ``scene``: makes the scene.Scene of a case, from the scene.Harness and the Case.
    - ``probe``: checks whether the server answers on a new connection. Raises Finding.
    - ``probe_disturbs``: a probe would disturb later cases. It runs only after a failed case.
    - ``checks_clients``: the programs are clients, which connect to the checker.
    - ``prepare``: runs with the Harness before the program starts.
    - ``options``: a reader for each option of the command that only some suites take. It gets the
      text, and raises ValueError.

    The first gate stores facts that all cases need, such as the framing, in ``Harness.found``.
    """

    name: str
    document: str
    rules: Mapping[str, Rule]
    scene: Callable[[Any, Case], Any]
    probe: Callable[[Any, Any], Awaitable[None]] | None = None
    checks_clients: bool = False
    prepare: Callable[[Any], Awaitable[None]] | None = None
    probe_disturbs: bool = False
    options: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)

    def case(
        self, number: str, title: str, rules: str, hint: str, *, needs: str = "", **kinds: bool
    ) -> Callable[[Act], Act]:
        """Return a decorator that adds a coroutine function as a case.

        ``rules`` and ``needs`` are numbers, separated by blanks.
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

        self.case(*about, **kinds)(Script(script))

    def read_cases(
        self, package: str, file: str, acts: Mapping[str, Callable[..., Awaitable[None]]]
    ) -> None:
        """Add the cases in a text file of a package, which empty lines separate.

        The first line of a case has its number, its title, and its attributes in brackets, such as
        ``[rules R1.1 R1.2; needs 1.1; gate]``. The second line is the hint. The rest is a script
        (scene.Scene.play). With the attribute ``does NAME TEXT``, the case calls ``acts[NAME]`` and
        has no script; TEXT is an optional argument. An indented line continues the line above.
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
