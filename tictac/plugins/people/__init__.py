"""Users online, and challenges: a part of the lobby protocol (lobby.md, "People")."""
