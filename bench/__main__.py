"""``python -m bench`` lists the benchmarks; ``python -m bench all [--quick]`` runs them all."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

NAMES = (
    "moves", "logins", "idle", "registrations", "flood", "abuse", "inputs", "connect",
    "thinking", "connectfour", "clue", "journal", "days", "archive", "chaos", "cup",
    "ladder", "followers", "evaluation", "ratings", "deadlines", "lobby", "page", "classroom",
    "peers",
)  # fmt: skip


def list_all() -> None:
    """Print each name, with the first line of its module's docstring."""
    for name in NAMES:
        file = Path(__file__).with_name(name)
        file = file / "__main__.py" if file.is_dir() else file.with_suffix(".py")
        module = ast.parse(file.read_text())
        first = (ast.get_docstring(module) or "").partition("\n")[0]
        print(f"python -m bench.{name:<14} {first}")
    print("python -m bench all [--quick]  All of them, one after the other.")


def run_all(options: list[str]) -> int:
    """Run each benchmark as a separate program; return how many failed."""
    failed = 0
    for name in NAMES:
        print(f"== {name}", flush=True)
        failed += subprocess.call([sys.executable, "-m", f"bench.{name}", *options]) != 0
        print(flush=True)
    return failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["all"] and set(sys.argv[2:]) <= {"--quick"}:
        sys.exit(run_all(sys.argv[2:]) != 0)
    elif len(sys.argv) > 1:
        sys.exit("usage: python -m bench [all [--quick]]")
    list_all()
