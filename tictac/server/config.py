"""The options of ``twistd tictac``: in a file (``--config``), in the help, and in force.

A file whose name ends in ``.toml`` is TOML, any other JSON. Its keys are long option names. Source:
run.md, "Configuration file": the required keys of JSON, ``port`` and ``userDatabase``,
the error texts, and their order.
"""

from __future__ import annotations

import argparse
import difflib
import json
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tictac.errors import SetupError, visible
from tictac.options import Option
from tictac.storage.databases import is_url

REQUIRED = ("port", "userDatabase")
PORTS = range(1024, 65536)

Groups = Mapping[str, Sequence[Option]]
"""All options, by the title of their group in the help."""


def read_config(path: str, names: Collection[str]) -> dict[str, Any]:
    """Return the options in the file; ``names`` are known, and ``~`` in ``database`` is expanded.

    Raises :class:`~tictac.errors.SetupError`.
    """
    file = _expanded(path)
    toml = file.suffix == ".toml"
    try:
        data = file.read_bytes()
        config = tomllib.loads(data.decode()) if toml else json.loads(data)
    except FileNotFoundError:
        raise SetupError(f"{path} doesn't exist.") from None
    except OSError as error:
        raise SetupError(f"{path} can't be read: {error.strerror}.") from None
    except tomllib.TOMLDecodeError as error:
        raise SetupError(f"{path} is not in a valid TOML format: {error}.") from None
    except (ValueError, RecursionError):
        kind = "TOML" if toml else "JSON"
        raise SetupError(f"{path} is not in a valid {kind} format.") from None
    if not isinstance(config, dict):
        raise SetupError(f"{path} is not in a valid JSON format.")
    database = "database" if toml else "userDatabase"
    missing = [] if toml else [key for key in REQUIRED if key not in config]
    if missing:
        raise SetupError(f"{path} missing key(s): {', '.join(missing)}")
    _check_port(config.get("port", ""))
    for name, value in config.items():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and not _is_for_the_system(text):
                raise SetupError(f"{path}: {name}: {text!a:.60} can't be a path or an address")
    if database in config:
        place = config.pop(database)
        if not isinstance(place, str) or not place:
            raise SetupError(f"{path}: {database} isn't a path")
        config["database"] = place if is_url(place) else str(_expanded(place))
    for name in config:
        if name not in names:
            raise SetupError(f"{path}: {name} isn't an option{near(name, names)}")
    return config


def _is_for_the_system(text: str) -> bool:
    """Return whether a text can be a path: it is encodable, without a null character."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:  # a lone surrogate, such as "\\ud800"
        return False


def _check_port(value: object) -> None:
    """Check the source's numbers; texts are endpoint strings, and a list can have several."""
    ports = value if isinstance(value, list) else [value]
    if not all(type(port) is str or (type(port) is int and port in PORTS) for port in ports):
        raise SetupError("port number out of range")


def near(name: str, names: Collection[str]) -> str:
    """Return a question for the name that was probably meant, or an empty text."""
    found = difflib.get_close_matches(name.lower().replace("_", "-"), names, 1)
    return f"; did you mean {found[0]}?" if found else ""


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise SetupError(f"{path}: {error}") from None


# The help, and the effective settings

EXAMPLES = """\
examples:
  twistd -n tictac --port 5000                    rooms on port 5000, until Ctrl-C
  twistd -n tictac --port 5000 --web 8080         and the page, http://localhost:8080/
  twistd tictac --config tictac.toml              in the background, as a file says
  twistd -n tictac --port 5000 --tls-cert cert.pem --tls-key key.pem
"""


def usage(groups: Groups) -> str:
    """Return the help: examples, and the options of each group."""
    parser = argparse.ArgumentParser(
        usage=argparse.SUPPRESS,
        description=EXAMPLES,
        epilog="0 turns a limit off. Each option can be an environment variable, such as"
        " TICTAC_MAX_ROOMS. The documents explain each option: docs/index.md.",
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, max_help_position=30),
        add_help=False,
    )
    add_options(parser, groups)
    return parser.format_help()


def add_options(parser: argparse.ArgumentParser, groups: Groups) -> None:
    """Add all options to the help of ``parser``."""
    for title, rows in groups.items():
        group = parser.add_argument_group(title)
        for row in rows:
            names = [f"-{row.letter}"] * bool(row.letter) + [f"--{row.name}"]
            default = "" if row.default in (None, "", ()) else f" [{short(row.default)}]"
            text = row.help.replace("%", "%%")
            if row.takes:
                group.add_argument(*names, metavar=row.takes, help=text + default)
            else:
                group.add_argument(*names, action="store_true", help=text)


def short(value: object) -> str:
    """Return a value as a person would type it: 60 and not 60.0."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def as_toml(groups: Groups, values: Mapping[str, Any], given: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a TOML file with ``values``, and the source of each."""
    for title, rows in groups.items():
        yield f"# {title}"
        for row in rows:
            value, comment = values[row.name], given.get(row.name, "default")
            unset = value in (None, (), [])
            text = "" if unset else _spelled(value)
            left_out = unset or row.name == "config"
            yield f"{'# ' * left_out}{row.name} = {text}".ljust(40) + f"  # {visible(comment)}"
        yield ""


def _spelled(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_spelled, value))}]"
    if isinstance(value, bool | int | float):
        return json.dumps(value) if isinstance(value, bool) else short(value)
    text = json.dumps(str(value), ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
