"""What the core publishes for plug-ins, as text: ``python -m tests.surface`` writes surface.txt."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "tictac"
SURFACE = Path(__file__).with_name("surface.txt")

PUBLISHED = {
    "errors", "game", "games.all", "text_view", "options", "plugin", "runtime", "names", "logs",
    "archive.match", "bot",
    "lobby.clock", "lobby.direct_matches", "lobby.events", "lobby.interfaces", "lobby.registry",
    "lobby.room", "lobby.terms", "net.client_connection", "net.connection", "net.framing",
    "net.plugin", "storage.database", "storage.store", "testing.conformance", "testing.connection",
    "testing.playthrough", "testing.server", "plugins.check.cases", "plugins.check.rules",
    "plugins.check.scene",
}  # fmt: skip
"""The modules that packages of others can use: tests/surface.txt has their names.

They change only as Semantic Versioning allows."""

SHARED = {
    "sheets", "fair_queue", "ip_networks", "engines.pool", "reactor", "server.make",
    "engines.computer", "lobby.live_room", "lobby.outbox", "lobby.journal", "lobby.record",
    "lobby.sleeping", "net.budget", "net.inbox", "characters",
    "net.limits", "net.reconnector", "net.running_time", "net.settings", "net.listening",
    "storage.address", "storage.outages", "protocols.rooms.wire",
    "protocols.lobby.session", "protocols.lobby.lobby", "protocols.lobby.wire",
    "protocols.lobby.json_view", "protocols.lobby.room_session", "protocols.lobby.extension",
    "protocols.lobby.server", "protocols.lobby.service", "protocols.rooms.service",
    "plugins.web.api", "plugins.web.pages", "plugins.web.site", "net.logins", "net.chores",
    "plugins.matches.match_text", "accounts.accounts", "accounts.bans", "accounts.keepers",
    "accounts.passwords", "accounts.registration", "accounts.tables", "accounts.tokens",
    "accounts.commands", "analysis", "archive.checking", "archive.pages",
    "engines.worker", "storage.databases", "storage.files",
    "archive.event_view", "archive.packed", "archive.reader", "archive.tables", "ratings.tables",
    "terminal.style", "terminal.dialog",
    "terminal.room_view", "terminal.stdio", "terminal.terminal", "plugins.client.connection",
    "plugins.client.address", "plugins.client.keyring", "plugins.client.commands",
    "plugins.client.seek",
    "games.tictactoe.rules", "plugins.games.connectfour.game", "plugins.games.connectfour.rules",
    "plugins.games.nim.game", "plugins.games.nim.opponent", "plugins.games.nim.rules",
    "plugins.days.mine", "plugins.days.shell", "plugins.privacy.desk", "plugins.xmpp.post",
    "plugins.days.matches", "plugins.days.service", "plugins.people.service",
    "plugins.tournament.ladder.service", "plugins.programs.program",
    "plugins.programs.console", "plugins.check.peer",
    "plugins.check.clients.scene", "plugins.submissions.service",
}  # fmt: skip
"""The modules of the core and of plug-ins that bundled plug-ins use, too. Any release can change
them: a package that needs one should ask for it to be published."""


def describe(modules: Collection[str]) -> str:
    """Return the public names of modules, with their signatures, a line each."""
    lines = (line for module in sorted(modules) for line in _module(module))
    return "".join(f"{line}\n" for line in lines)


def _module(module: str) -> Iterator[str]:
    path = PACKAGE.joinpath(*module.split("."))
    source = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
    yield f"tictac.{module}"
    body = ast.parse(source.read_text()).body
    # A module that says what it offers may offer names of others, too.
    offered = [name for node in body if isinstance(node, ast.Assign) for name in _names(node)]
    defined = {getattr(node, "name", "") for node in body}
    for node in body:
        if not offered or getattr(node, "name", "") in offered:
            yield from _node(node, "    ")
    yield from (f"    {name}" for name in offered if name not in defined)


def _names(node: ast.Assign) -> list[str]:
    """Return the names in a module's ``__all__``."""
    is_all = ast.unparse(node.targets[0]) == "__all__"
    return ast.literal_eval(node.value) if is_all else []


def _node(node: ast.stmt, indent: str) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if _is_public(name):
            returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            yield f"{indent}{name}({ast.unparse(node.args)}){returned}"
        case ast.ClassDef(name=name) if _is_public(name):
            yield f"{indent}class {name}({', '.join(map(ast.unparse, node.bases))})"
            for inner in node.body:
                yield from _node(inner, indent + "    ")
        case ast.AnnAssign(target=ast.Name(id=name)) if _is_public(name):
            yield f"{indent}{name}: {ast.unparse(node.annotation)}"
        case ast.Assign(targets=[ast.Name(id=name)]) if _is_public(name):
            yield f"{indent}{name}"


def _is_public(name: str) -> bool:
    return name == "__init__" or not name.startswith("_")


if __name__ == "__main__":
    SURFACE.write_text(describe(PUBLISHED))
