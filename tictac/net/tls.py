"""The certificate of a TLS port, read at the start, and again when its files have changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from twisted.internet.endpoints import quoteStringArgument, serverFromString
from twisted.internet.interfaces import IListeningPort, IOpenSSLServerConnectionCreator
from twisted.internet.protocol import Factory
from zope.interface import implementer

from tictac.reactor import Reactor
from tictac.storage.files import read_regular

if TYPE_CHECKING:
    from OpenSSL.SSL import Connection
    from twisted.internet.ssl import CertificateOptions

_FILE = re.compile(r":(privateKey|certKey|extraCertChain|dhParameters)=((?:\\.|[^:\\])*)")
_ESCAPED = re.compile(r"\\(.)")
_PEM = re.compile("-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.S)


def certificate_file(path: str) -> str:
    """Return the path of a file with a certificate. Raises ValueError if it has none."""
    return _checked(path, "certificate")


def key_file(path: str) -> str:
    """Return the path of a file with a key without a password. Raises ValueError if it has none."""
    return _checked(path, "private key")


def _checked(path: str, what: str) -> str:
    try:
        text = read_regular(Path(path).expanduser()).decode("ascii", "replace")
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from None
    if f"{what.upper()}-----" not in text:
        raise ValueError(f"{path} has no {what} in PEM")
    # OpenSSL would ask for the password at the terminal.
    if "ENCRYPTED" in text:
        raise ValueError(f"{path} has a {what} with a password")
    return path


def with_tls(description: str, cert: str, key: str) -> str:
    """Return the endpoint string with TLS, if it is plain TCP, with absolute paths.

    A Unix socket is for this machine, a proxy has TLS of its own, and a socket opened by systemd
    can't be changed.
    """
    kind, _, rest = description.partition(":")
    if kind not in ("tcp", "tcp6"):
        return description
    if kind == "tcp6" and ":interface=" not in rest:
        rest += r":interface=\:\:"
    private, public = (
        quoteStringArgument(str(Path(p).expanduser().absolute())) for p in (key, cert)
    )
    return f"ssl:{rest}:privateKey={private}:certKey={public}"


def files_in(description: str) -> dict[str, Path]:
    """Return the files in a TLS endpoint string by their parameters."""
    return {name: Path(_ESCAPED.sub(r"\1", path)) for name, path in _FILE.findall(description)}


def require_regular(files: Iterable[Path]) -> None:
    """Raise ValueError if a file isn't regular, because Twisted would wait for its content."""
    for file in files:
        try:
            read_regular(file)
        except FileNotFoundError:
            pass  # Twisted says so
        except OSError as error:
            raise ValueError(f"{file} can't be read: {error.strerror}") from None


class TLSReactor:
    """A reactor that calls ``listen_tls`` instead of its ``listenSSL``.

    An endpoint reads the files of a certificate when it is made, and passes it here.
    """

    def __init__(self, reactor: Reactor, listen_tls: Callable[..., IListeningPort | None]) -> None:
        self._reactor = reactor
        self.listenSSL = listen_tls

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)


@implementer(IOpenSSLServerConnectionCreator)
class Certificate:
    """The source of the key and the certificate of each new connection of a port.

    ``description`` is the endpoint string, ``first`` what Twisted has read from its files.
    """

    def __init__(self, reactor: Reactor, description: str, first: CertificateOptions) -> None:
        self._reactor = reactor
        self._description = description
        self._files = files_in(description)
        self._taken = self._seen = self._state()
        self._current = self._with_chain(first)

    def serverConnectionForTLS(self, tlsProtocol: object) -> Connection:  # noqa: N803
        """Return OpenSSL's side of one connection."""
        # Only TLS ports need the extra `tls`.
        from OpenSSL.SSL import Connection

        return Connection(self._current.getContext(), None)

    def has_changed(self) -> bool:
        """Return whether the files have changed since they were read, but not since the last call.

        Programs that renew certificates write one file after the other.
        """
        before, self._seen = self._seen, self._state()
        return before == self._seen != self._taken

    def read_again(self) -> None:
        """Read the files again. If that raises, the old certificate stays."""
        self._taken = self._state()
        require_regular(self._files.values())
        if "privateKey" in self._files:
            key_file(str(self._files["privateKey"]))  # OpenSSL would wait for its password
        found: list[CertificateOptions] = []

        def listen_tls(*_: object, contextFactory: CertificateOptions, **how: object) -> None:  # noqa: N803
            found.append(contextFactory)

        reactor = TLSReactor(self._reactor, listen_tls)
        serverFromString(reactor, self._description).listen(Factory())
        read = self._with_chain(found[0])
        read.getContext()
        self._current = read

    def _state(self) -> list[tuple[int, int, int] | None]:
        state: list[tuple[int, int, int] | None] = []
        for file in self._files.values():
            try:
                found = file.stat()
                state.append((found.st_ino, found.st_size, found.st_mtime_ns))
            except OSError:
                state.append(None)
        return state

    def _with_chain(self, read: CertificateOptions) -> CertificateOptions:
        """Add the certificates below the first one in its file, which Twisted leaves out."""
        file = self._files.get("certKey")
        if file is not None and "extraCertChain" not in self._files:
            from twisted.internet.ssl import Certificate as Pem

            below = _PEM.findall(read_regular(file).decode("ascii", "replace"))[1:]
            read.extraCertChain = [Pem.loadPEM(text).original for text in below]
        return read
