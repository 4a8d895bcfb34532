"""The options of the core: of every port, of the accounts, and of the rooms."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

from tictac import options as read
from tictac.accounts.registration import OPEN, read_registration
from tictac.net.framing import MODES
from tictac.net.listening import BACKLOG
from tictac.net.tls import certificate_file, key_file
from tictac.options import option, repeatable
from tictac.ratings.tables import A_DAY


@dataclass(frozen=True)
class ServerOptions:
    """The process and all of its connections."""

    config: str | None = option(None, "File with these options: FILE.toml, or JSON.", None, "c")
    tls_cert: str | None = option(
        None, "Certificate for TLS on every port, in PEM.", certificate_file
    )
    tls_key: str | None = option(None, "Key of the certificate, if it has its own file.", key_file)
    listen: str = option("", "IP address of all ports. Empty: all addresses.", read.address)
    drain: float = option(10.0, "Seconds to finish running matches at a shutdown.")
    backlog: int = option(BACKLOG, "Maximum connections that wait to be accepted.", read.positive)
    max_connections: int = option(10_000, "Maximum connections of a port.")
    max_connections_per_peer: int = option(600, "Maximum connections from one address.")
    max_half_closed: int = option(8, "Maximum half-closed connections per address.")
    connect_rate: int = option(200, "Maximum new connections per second from one address.")
    max_questions_per_peer: int = option(100, "Maximum waiting moves of an address.")
    budget: int = option(8000, "Units of work per second for one address.")
    budget_burst: int = option(80_000, "Units of work at once for one address.")
    max_unsent: int = option(262_144, "Maximum unread bytes of a slow client.")
    keepalive: float = option(60.0, "Seconds until the server notices a vanished client.")
    log_lines: int = option(60, "Maximum log lines of one kind per minute.")
    log_json: bool = option(False, "Write each log line as JSON.")
    log_files: int = option(10, "Number of old log files to keep.")
    engine_timeout: float = option(5.0, "Timeout in seconds for PostgreSQL.")
    no_eager_send: bool = option(False, "Send a reactor turn later, as Twisted does.")
    no_archive: bool = option(False, "Don't archive finished matches.")


@dataclass(frozen=True)
class AccountOptions:
    """The accounts, and the database."""

    database: str = option("users.db", "File or postgresql:// URL with the accounts.", None, "d")
    keep_matches: int = option(0, "Days to keep finished matches. 0 keeps them forever.")
    disk_reserve: int = option(64, "Free MiB below which guests and chat stop.")
    stored_a_day: int = option(32, "Maximum MiB per day stored by the guests of an address.")
    archive_queue: int = option(10_000, "Maximum matches that wait for the database.")
    registration: str = option(OPEN, "Registration: open, closed, or code:FILE.", read_registration)
    min_password: int = option(1, "Minimum characters of a new password.", read.password_length)
    bcrypt_rounds: int = option(12, "Cost of password hashes, 4 to 16 rounds.", read.rounds)
    password_threads: int = option(0, "Threads that check passwords. 0: one per core.")
    login_failures: int = option(5, "Failed logins without a delay.")
    login_delay: float = option(0.25, "First delay of a login, in seconds; it doubles.")
    login_delay_max: float = option(8.0, "Maximum delay of a login, in seconds.")
    login_forgive: float = option(600.0, "Seconds until a failed login is forgotten.")
    token_days: int = option(30, "Days until an unused token ends. 0 turns tokens off.")
    max_tokens_per_user: int = option(20, "Maximum tokens of an account; the oldest one ends.")
    trusted_net: tuple[IPv4Network | IPv6Network, ...] = repeatable(
        "Network with fewer limits, such as 192.0.2.0/24. Repeatable.", read.net
    )


@dataclass(frozen=True)
class RoomsOptions:
    """The rooms of every protocol, and the rooms protocol."""

    framing: str = option("auto", "End of messages: auto, line, or bare.", read.one_of(*MODES))
    max_message: int = option(8192, "Maximum bytes of a message, from 100.", read.message_size)
    bare_complete: float = option(0.03, "Seconds of silence that end a complete request.")
    bare_incomplete: float = option(0.5, "Seconds of silence that end other text.")
    bare_gap: float = option(0.02, "Seconds between messages without newlines.")
    bare_entry_gap: float = option(0.2, "Seconds between bare messages as a match begins.")
    turn_budget: int = option(
        16, "Maximum messages of a connection in a reactor turn.", read.positive
    )
    computer: float | None = option(
        None, "Seconds until the computer joins a waiting room.", read.seconds
    )
    computer_workers: int = option(0, "Engine processes. 0: one per core, up to 4.")
    login_timeout: float = option(300.0, "Seconds to log in.")
    move_timeout: float = option(600.0, "Seconds for a move; then the player forfeits.")
    idle_timeout: float = option(3600.0, "Maximum seconds of silence outside a room.")
    wait_timeout: float = option(3600.0, "Seconds to wait for a second player.")
    rejoin_timeout: float | None = option(
        None, "Seconds to rejoin: 30, by the rooms protocol 0.", read.seconds
    )
    abandoned_timeout: float = option(60.0, "Seconds that computers play alone; 0: to the end.")
    offer_timeout: float = option(60.0, "Seconds to answer an offer, such as a draw.")
    journal: str = option(
        "auto", "Storage of rooms: auto, none, sqlite, or postgres.",
        read.one_of("auto", "none", "sqlite", "postgres"),
    )  # fmt: skip
    lobby: str = option(read.MAIN, "Name of the lobby, if a database has several.", read.lobby)
    max_rooms: int = option(256, "Maximum rooms at a time.")
    max_rooms_per_user: int = option(0, "Maximum rooms with one account alone. 0: no limit.")
    max_rooms_per_peer: int = option(100, "Maximum rooms of the guests of one address.")
    max_viewers_per_peer: int = option(100, "Maximum viewers of one address in a room.")
    max_rooms_per_connection: int = option(16, "Maximum rooms of a JSON connection.")
    max_room_events: int = option(2000, "Maximum events of a room; then it takes moves only.")
    rated_a_day: int = option(A_DAY, "Maximum rated matches of a pair per day.")
    log_matches: bool = option(False, "Log each match, not only counts at the end.")
    visitors: str = option(
        "all", "Pages visible without an account: all, invited, or none.",
        read.one_of("all", "invited", "none"),
    )  # fmt: skip
    guests: bool = option(False, "Let guests play other people, not only the computer.")
