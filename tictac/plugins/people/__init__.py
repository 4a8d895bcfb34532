"""Users online, and challenges: a part of the lobby protocol (people.md, "People")."""
