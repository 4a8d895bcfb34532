"""Notices as a part of the server: options, starting and stopping."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from tictac import options as read
from tictac.errors import SetupError
from tictac.net.plugin import ProtocolService, sweep_interval
from tictac.net.running_time import running_time
from tictac.options import option, repeatable
from tictac.plugins.days.service import DaysService
from tictac.plugins.people.service import PeopleService
from tictac.reactor import Reactor
from tictac.runtime import AddOn, Runtime
from tictac.storage.store import Store, StoreAwayError, StoreClosedError, Stored

if TYPE_CHECKING:
    from tictac.plugins.notices.channels.email import MailServer
    from tictac.plugins.notices.desk import Desk
    from tictac.plugins.notices.notifier import Notifier
    from tictac.plugins.notices.outbox import Outbox, Sender
    from tictac.plugins.notices.tables import NoticeTables
    from tictac.plugins.notices.watch import Watch
    from tictac.plugins.xmpp.post import Post

_log = Logger()

LOOKS_EVERY, PRUNES_EVERY = 5.0, 3600.0
"""Seconds."""


@dataclass(frozen=True)
class NoticeOptions:
    """Messages to absent players."""

    public_url: str = option("", "Address of the page, for links in messages; empty: send none.")
    notices_contact: str = option("", "The operator's e-mail address: the sender of messages.")
    smtp: str = option("", "Mail server, such as smtp://USER@HOST:587, or smtps://HOST.")
    smtp_password_file: str = option("", "File with the password for the mail server.")
    no_push: bool = option(False, "Send nothing to browsers (Web Push).")
    no_webhooks: bool = option(False, "Send nothing to webhooks.")
    notices_net: tuple[IPv4Network | IPv6Network, ...] = repeatable(
        "Private network in which webhooks can be. Repeatable.", read.net
    )
    max_notices: int = option(100_000, "Maximum messages that wait.", read.positive)


class NoticeService(ProtocolService):
    """The notices of a server. ``channels`` is filled at the start, with the keys of ``store``."""

    def __init__(
        self,
        runtime: Runtime,
        store: Store,
        outbox: Outbox,
        watch: Watch,
        channels: dict[str, Notifier],
    ) -> None:
        self._runtime, self._store, self._outbox, self._watch = runtime, store, outbox, watch
        self._channels = channels
        self._senders: list[Sender] = []
        self._looking, self._pruning = LoopingCall(self._look), LoopingCall(self._prune)
        self._looking.clock = self._pruning.clock = self._clock = runtime.reactor
        self._waiting = 0
        super().__init__(runtime.reactor, "notices", [], lambda proxied: None, sweep_interval())

    def begin(self) -> None:
        self._store.start()
        self._looking.start(LOOKS_EVERY)

    async def _open(self) -> None:
        """Open the channels, and look at all matches of accounts with an address."""
        from tictac.plugins.notices.outbox import Sender
        from tictac.plugins.notices.tables import NoticeTables

        options = self._runtime.settings[NoticeOptions]
        users = await self._watch.begin()
        key = await self._outbox.tables.ask(NoticeTables.key, "vapid", _new_key())
        self._channels |= make_channels(self._runtime.reactor, options, key)
        url = options.public_url.rstrip("/")
        self._senders = [
            Sender(name, notifier, self._outbox, self._watch, url, self._clock)
            for name, notifier in self._channels.items()
        ]
        self._pruning.start(PRUNES_EVERY)
        looking = Deferred.fromCoroutine(self._watch.look_at_all(users))
        looking.addErrback(
            lambda failure: _log.failure("notices: cannot check all matches", failure)
        )

    async def _look(self) -> None:
        try:
            if not self._pruning.running:
                await self._open()
            await self._watch.look()
            for sender in self._senders:
                sender.look()
            from tictac.plugins.notices.tables import NoticeTables

            self._waiting = await self._outbox.tables.ask(NoticeTables.waiting)
        except (StoreAwayError, StoreClosedError):
            pass  # the store has logged it, or the server ends
        except Exception:
            _log.failure("notices: cannot check for due messages")

    async def _prune(self) -> None:
        from tictac.plugins.notices.tables import NoticeTables

        try:
            await self._outbox.tables.ask(NoticeTables.prune, int(time.time()))
        except (StoreAwayError, StoreClosedError):
            pass  # the store has logged it, or the server ends
        except Exception:  # a loop that ends would open the channels once more
            _log.failure("notices: cannot forget old messages")

    def figures(self) -> Mapping[str, tuple[str, float]]:
        words = {"sent": "Messages sent", "failed": "Attempts that failed",
                 "gone": "Addresses given up", "dropped": "Notices not sent"}  # fmt: skip
        counts = self._outbox.counts
        figures = {f"notices_{name}": (f"{words[name]}.", counts[name]) for name in counts}
        return {**figures, "notices_waiting": ("Notices that wait.", self._waiting)}

    async def end(self) -> None:
        for loop in (self._looking, self._pruning):
            if loop.running:
                loop.stop()
        for sender in self._senders:
            await sender.stop()
        await self._store.close()


def _new_key() -> str:
    from tictac.plugins.notices.channels.push import new_key

    return new_key()


def make_channels(reactor: Reactor, options: NoticeOptions, key: str) -> dict[str, Notifier]:
    """Make the channels that the options ask for; ``key`` is the server's key for push services."""
    from tictac.plugins.notices.channels.email import EmailNotifier
    from tictac.plugins.notices.channels.posting import Poster
    from tictac.plugins.notices.channels.push import PushNotifier
    from tictac.plugins.notices.channels.webhook import WebhookNotifier

    channels: dict[str, Notifier] = {}
    url, contact = options.public_url.rstrip("/"), options.notices_contact
    poster = Poster(reactor, options.notices_net)
    if options.smtp:
        site = urlsplit(url).hostname or ""
        channels["email"] = EmailNotifier(reactor, mail_server(options), site, url)
    if contact and not options.no_push:
        channels["push"] = PushNotifier(poster, key, contact, time.time)
    if not options.no_webhooks:
        channels["webhook"] = WebhookNotifier(poster, url)
    return channels


def mail_server(options: NoticeOptions) -> MailServer:
    """Return the mail server that the options name. Raises SetupError."""
    from tictac.plugins.notices.channels.email import MailServer

    text = options.smtp
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError:
        host = port = None
    if not host or url.scheme not in ("smtp", "smtps") or url.path not in ("", "/"):
        raise SetupError(
            f"--smtp {text}: give smtp://HOST:PORT or smtps://HOST, optionally with USER@"
        )
    if url.password is not None:
        raise SetupError("--smtp: put the password into a file (--smtp-password-file)")
    tls = "implicit" if url.scheme == "smtps" else "starttls"
    if host in ("localhost", "127.0.0.1", "::1") and url.scheme == "smtp" and not url.username:
        tls = "plain"
    password, path = "", options.smtp_password_file
    if path:
        try:
            password = Path(path).read_text("utf-8").strip()
        except (OSError, ValueError) as error:
            raise SetupError(f"--smtp-password-file {path}: {error}") from None
    usual = 465 if tls == "implicit" else 587 if url.username else 25
    return MailServer(
        host, port or usual, options.notices_contact, tls, url.username or "", password
    )


def _check(options: NoticeOptions) -> None:
    """Check what needs no network. Raises SetupError."""
    url = urlsplit(options.public_url)
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
        raise SetupError(f"--public-url {options.public_url}: give https://HOST")
    if options.smtp and "@" not in options.notices_contact:
        raise SetupError("--smtp needs --notices-contact, the sender of messages")
    if options.smtp:
        mail_server(options)


def _make(runtime: Runtime) -> ProtocolService | None:
    options = runtime.settings[NoticeOptions]
    if not options.public_url:
        if options.smtp:
            raise SetupError("--smtp needs --public-url, for the links in messages")
        return None
    _check(options)
    try:
        from tictac.plugins.notices.desk import Desk, OneClick
        from tictac.plugins.notices.outbox import Outbox
        from tictac.plugins.notices.tables import NoticeTables
        from tictac.plugins.notices.watch import Watch
    except ImportError:
        raise SetupError(
            "--public-url needs packages that aren't installed: pip install '.[web]'"
        ) from None
    store, lobby = runtime.store("notices"), runtime.lobby
    tables: Stored[NoticeTables] = Stored(store, NoticeTables)
    outbox = Outbox(tables, options.max_notices, time.time)
    [days] = [part.matches for part in runtime.parts if isinstance(part, DaysService)]
    watch = Watch(days, lobby.registry, outbox, runtime.reactor)
    channels: dict[str, Notifier] = {}
    for part in runtime.parts:
        if isinstance(part, PeopleService):
            part.challenges.messages = watch

    def watch_one(user: str) -> None:
        looking = Deferred.fromCoroutine(watch.look_at_all([user]))
        looking.addErrback(lambda failure: _log.failure("notices: cannot check matches", failure))

    desk = Desk(tables, channels, watch_one, running_time.seconds, time.time)
    lobby.extend(desk)
    for part in runtime.parts:
        if part.what == "web":
            lobby.parts["notices"] = desk.api
            part.add_post(b"/notice/", OneClick(desk))  # type: ignore[attr-defined]
        elif part.what == "xmpp":
            url = options.public_url.rstrip("/")
            channels["xmpp"] = use_xmpp(part.post, desk, url)  # type: ignore[attr-defined]
    return NoticeService(runtime, store, outbox, watch, channels)


def use_xmpp(post: Post, desk: Desk, url: str) -> Notifier:
    """Make the channel of XMPP, whose receivers and accounts end it."""
    from tictac.plugins.notices.channels.xmpp import XmppNotifier

    def unlinked(person: str, account: str) -> None:
        stopping = Deferred.fromCoroutine(desk.stop("xmpp", person, account))
        stopping.addErrback(lambda failure: _log.failure("cannot stop notices", failure))

    post.stop = partial(desk.stop, "xmpp")
    post.unlinked.append(unlinked)
    desk.is_known = lambda user, channel, address: (
        channel == "xmpp" and post.account_of(address) == user
    )
    return XmppNotifier(post, url)


ADD_ON = AddOn(_make, NoticeOptions)
"""Notices are a part of every server with a page of its own address (``--public-url``)."""
