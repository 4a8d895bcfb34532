#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image. It makes a Python with tictac in
# /autograder/venv and a user without rights, and installs what the students' programs need.
set -euo pipefail
root=${AUTOGRADER:-/autograder}
packages=(@PACKAGES@)

fits() { "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; }

find_python() {
  local each
  for each in python3.14 python3.13 python3.12 python3.11 python3; do
    if fits "$each"; then
      command -v "$each"
      return
    fi
  done
  return 1
}

export DEBIAN_FRONTEND=noninteractive
apt-get update -q || true
if ! python=$(find_python); then
  # Ubuntu 22.04 has Python 3.10, and 3.11 beside it; 24.04 and Debian 12 lack only venv.
  apt-get install -yq --no-install-recommends python3-venv || true
  find_python > /dev/null ||
    apt-get install -yq --no-install-recommends python3.11 python3.11-venv || true
fi
if python=$(find_python); then
  "$python" -m venv "$root/venv"
  "$root/venv/bin/python" -m pip install -q "$root"/source/*.whl
else
  # No Python of the system is new enough: uv brings one.
  apt-get install -yq --no-install-recommends python3-pip || true
  python3 -m pip install -q uv
  python3 -m uv venv -q --python 3.12 "$root/venv"
  python3 -m uv pip install -q --python "$root/venv/bin/python" "$root"/source/*.whl
fi
if [ "${#packages[@]}" -gt 0 ]; then
  apt-get install -yq --no-install-recommends "${packages[@]}"
fi
if [ "$(id -u)" = 0 ] && ! id student > /dev/null 2>&1; then
  useradd --no-create-home --shell /usr/sbin/nologin student
fi
"$root/venv/bin/tictac" --version
