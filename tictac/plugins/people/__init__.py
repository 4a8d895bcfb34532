"""Users online, and challenges: a part of the lobby protocol (docs/lobby.md, "People")."""
