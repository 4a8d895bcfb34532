"""The configuration file of ``twistd tictac --config FILE``.

Source: operations.md, "The configuration file": the keys ``port`` and ``userDatabase``, the texts
of the errors and their order. Any long option may stand beside them by its name.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tictac.accounts.places import is_url
from tictac.errors import SetupError

REQUIRED = ("port", "userDatabase")
PORTS = range(1024, 65536)


def read_config(path: str) -> dict[str, Any]:
    """The object in the file, with ``~`` in ``userDatabase`` expanded.

    Raises :class:`~tictac.errors.SetupError`.
    """
    file = _expanded(path)
    try:
        config = json.loads(file.read_bytes())
    except (FileNotFoundError, IsADirectoryError):
        raise SetupError(f"{path} doesn't exist.") from None
    except OSError as error:
        raise SetupError(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise SetupError(f"{path} is not in a valid JSON format.") from None
    if not isinstance(config, dict):
        raise SetupError(f"{path} is not in a valid JSON format.")
    missing = [key for key in REQUIRED if key not in config]
    if missing:
        raise SetupError(f"{path} missing key(s): {', '.join(missing)}")
    port = config["port"]
    if type(port) is not int or port not in PORTS:
        raise SetupError("port number out of range")
    if not isinstance(config["userDatabase"], str) or not config["userDatabase"]:
        raise SetupError(f"{path}: userDatabase isn't a path")
    if not is_url(config["userDatabase"]):
        config["userDatabase"] = str(_expanded(config["userDatabase"]))
    return config


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise SetupError(f"{path}: {error}") from None
