"""A real XMPP server and clients that aren't Twisted's: prosody, slixmpp."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from unittest import skipIf

from twisted.words.xish import domish

from tests.documents import blocks, page
from tests.plugins.xmpp.helpers import brief
from tests.terminal.processes import PATIENCE, as_ordinary_user
from tictac.plugins.check.target import free_port
from tictac.plugins.xmpp.xml import COMPONENT

SECRET = "a secret of ours"
HOST, DOMAIN = "example.org", "games.example.org"
CLIENT = "jabber:client"


def missing() -> str:
    """Return which program or package isn't installed; an empty text if all are."""
    if shutil.which("prosody") is None:
        return "prosody isn't installed"
    if importlib.util.find_spec("slixmpp") is None:
        return "slixmpp isn't installed"
    return ""


needs_xmpp = skipIf(bool(missing()), missing())


class Prosody:
    """The server with the configuration of xmpp.md, for the accounts of these names.

    With the folder of a ``certificate``, which is for localhost, accounts are there, and need TLS.
    """

    def __init__(self, directory: Path, *names: str, certificate: Path | None = None) -> None:
        self.directory = directory
        self._certificate = certificate
        self.clients, self.components = free_port(), free_port()
        self._host = HOST if certificate is None else "localhost"
        accounts = directory / "data" / self._host.replace(".", "%2e") / "accounts"
        accounts.mkdir(parents=True)
        for name in names:
            (accounts / f"{name}.dat").write_text('return { ["password"] = "secret"; };\n')
        (directory / "prosody.cfg.lua").write_text(self._configuration())
        self.process: subprocess.Popen[bytes] | None = None

    def _configuration(self) -> str:
        [documented] = blocks(page("xmpp"), "Prosody", "lua")
        text = "\n".join(documented.lines)
        assert '"a secret of yours"' in text and f'Component "{DOMAIN}"' in text
        tls, hosts = '"s2s", "tls"', f'VirtualHost "{self._host}"'
        if self._certificate is not None:
            tls, files = '"s2s"', self._certificate
            hosts += f'\nssl = {{ key = "{files}/key.pem", certificate = "{files}/cert.pem" }}'
        return f"""
            data_path = "{self.directory}/data"
            pidfile = "{self.directory}/prosody.pid"
            log = {{ {{ levels = {{ min = "info" }}, to = "console" }} }}
            interfaces = {{ "127.0.0.1" }}
            c2s_ports = {{ {self.clients} }}
            c2s_require_encryption = {str(self._certificate is not None).lower()}
            allow_unencrypted_plain_auth = {str(self._certificate is None).lower()}
            authentication = "internal_plain"
            modules_enabled = {{ "saslauth", "disco", "presence", "message", "iq", "roster"{
            ', "tls"' if self._certificate else ""
        } }}
            modules_disabled = {{ {tls} }}
            component_ports = {{ {self.components} }}
            {hosts}
            {text.replace('"a secret of yours"', f'"{SECRET}"')}
        """

    def start(self) -> None:
        """Run it, as an ordinary user, until it takes connections."""
        self.process = subprocess.Popen(
            ["prosody", "--config", str(self.directory / "prosody.cfg.lua"), "-F"],
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **as_ordinary_user(self.directory),
        )
        assert self.process.stdout is not None
        said = b""
        for name in (b"Activated service 'component'", b"Activated service 'c2s'"):
            while name not in said:
                line = self.process.stdout.readline()
                assert line, said.decode()
                said += line
        # What it says later is read at its end; that is little.

    def stop(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.terminate()
            self.process.communicate(timeout=PATIENCE)
            self.process = None

    def kill(self) -> None:
        """End it at once, as when the power fails."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate(timeout=PATIENCE)
            self.process = None


def from_et(tree: ET.Element) -> Any:
    """Return an element of ElementTree as one of domish.

    A client's stanza then looks like a component's.
    """
    uri, _, name = tree.tag.rpartition("}")
    element = domish.Element((uri.lstrip("{").replace(CLIENT, COMPONENT), name))
    element.attributes = {k: text for k, text in tree.attrib.items() if not k.startswith("{")}
    element.children = [tree.text] if tree.text else []
    for child in tree:
        element.children += [from_et(child), *([child.tail] if child.tail else [])]
    return element


class Player:
    """A client of slixmpp that notes every stanza that it gets from our service."""

    def __init__(self, prosody: Prosody, name: str) -> None:
        slixmpp: Any = importlib.import_module("slixmpp")
        self.nick, self.address = name, f"{name}@{HOST}/desk"
        self._client: Any = slixmpp.ClientXMPP(self.address, "secret")
        self._client.enable_starttls = self._client.enable_direct_tls = False
        self._client.enable_plaintext = True
        self._client.plugin["feature_mechanisms"].unencrypted_plain = True
        self._client.plugin["feature_mechanisms"].unencrypted_scram = True
        self._port = prosody.clients
        self._came: asyncio.Queue[Any] = asyncio.Queue()
        self._ids = 0

    @property
    def last(self) -> str:
        """The id of the last stanza that it sent."""
        return f"t{self._ids}"

    async def connect(self) -> Player:
        """Log in."""
        ready = asyncio.Event()
        self._client.add_event_handler("session_start", lambda _: ready.set())
        self._client.add_filter("in", self._note)
        self._client.connect("127.0.0.1", self._port)
        await asyncio.wait_for(ready.wait(), PATIENCE)
        self._client.send_raw("<presence/>")
        return self

    def _note(self, stanza: Any) -> Any:
        value = from_et(stanza.xml)
        if DOMAIN in (value.getAttribute("from") or ""):
            self._came.put_nowait(value)
            return None  # or slixmpp would answer with errors of its own
        return stanza

    def send(self, name: str, to: str, inner: str = "", kind: str = "") -> None:
        """Send a stanza to a room (``den``), an occupant (``den/bob``) or the service."""
        node, _, nick = to.partition("/")
        full = (f"{node}@{DOMAIN}" if node else DOMAIN) + (f"/{nick}" if nick else "")
        self._ids += 1
        given = f" type='{kind}'" if kind else ""
        self._client.send_raw(f"<{name} to='{full}' id='{self.last}'{given}>{inner}</{name}>")

    async def expect(self, *lines: str) -> None:
        """Wait for these stanzas, which must be the next to come, in this order."""
        for wanted in lines:
            stanza = await asyncio.wait_for(self._came.get(), PATIENCE)
            sender = (stanza.getAttribute("from") or "").replace(f"@{DOMAIN}", "")
            kind = " ".join(filter(None, [stanza.name, stanza.getAttribute("type")]))
            inner = " ".join(brief(child) for child in stanza.children)
            found = f"{sender} {kind}: {inner}"
            assert found == wanted, f"{found}\ninstead of\n{wanted}"

    async def next(self) -> Any:
        return await asyncio.wait_for(self._came.get(), PATIENCE)

    async def kill(self) -> None:
        """Cut the connection without a word, if it is there."""
        if self._client.transport is not None:
            self._client.transport.abort()
        while self._client.transport is not None:
            await asyncio.sleep(0)
