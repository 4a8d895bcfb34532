"""Write names.txt."""

from tests.compatibility import NAMES, describe

NAMES.write_text(describe(), "utf-8")
