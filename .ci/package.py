"""Build the distributions twice, and keep them in dist/ if both builds have the same bytes.

All times in them are SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/):
without it, the time of the last commit. setuptools obeys it in wheels, but not in archives of
sources, so this program packs these anew.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory


def build(folder: Path, epoch: int) -> dict[str, str]:
    """Build into a folder; return the digest of each file."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    command = [sys.executable, "-m", "build", "--outdir", str(folder)]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    for archive in folder.glob("*.tar.gz"):
        archive.write_bytes(packed_anew(archive, epoch))
    files = sorted(folder.iterdir())
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


def packed_anew(archive: Path, epoch: int) -> bytes:
    """Return an archive of sources in the order of its names, without times and owners."""
    plain = io.BytesIO()
    with tarfile.open(archive) as old, tarfile.open(fileobj=plain, mode="w") as new:
        for member in sorted(old.getmembers(), key=lambda each: each.name):
            member.mtime, member.pax_headers = epoch, {}
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    return gzip.compress(plain.getvalue(), mtime=epoch)


def last_commit() -> int:
    """Return the time of the last commit, in seconds since 1970."""
    command = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, check=True, capture_output=True).stdout)


def main() -> None:
    """Build, compare, and keep the result."""
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or last_commit())
    with TemporaryDirectory() as folder:
        first, second = Path(folder, "1"), Path(folder, "2")
        one, other = build(first, epoch), build(second, epoch)
        if one != other:
            sys.exit(f"the builds differ: {one} and {other}")
        dist = Path("dist")
        shutil.rmtree(dist, ignore_errors=True)
        shutil.copytree(first, dist)
    for name, digest in one.items():
        print(digest, name)


if __name__ == "__main__":
    main()
