-- Rooms that were saved by their owners (tictac/plugins/xmpp), by the node of their address.

CREATE TABLE saved_rooms (
    name VARCHAR(1023) NOT NULL PRIMARY KEY,
    content BLOB NOT NULL
);
