"""Connect Four by the names that its source gives its two programs."""
