"""``health.py PORT``: exit status 0 if the server in this container is alive. It may speak TLS."""

from __future__ import annotations

import ssl
import sys
from http.client import HTTPException
from urllib.request import urlopen


def is_alive(port: int) -> bool:
    """Whether the admin port of this machine says so."""
    anybody = ssl._create_unverified_context()
    for scheme in ("http", "https"):
        try:
            urlopen(f"{scheme}://127.0.0.1:{port}/health/live", timeout=2, context=anybody).close()
        except (OSError, HTTPException):
            continue
        return True
    return False


if __name__ == "__main__":
    sys.exit(not is_alive(int(sys.argv[1])))
