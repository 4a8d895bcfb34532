"""What remains of matches: each that has ended, as a value, and where they are kept."""
