"""Other people's programs: a supervisor starts each of them and ends all of its processes."""
