-- XMPP addresses by which accounts play (tictac/plugins/xmpp/links.py). An address is bare, and has
-- one account. Times are seconds since 1970. Links go with the account, whichever program removes it.

CREATE TABLE xmpp_links (
    jid VARCHAR(2047) NOT NULL PRIMARY KEY,
    name VARCHAR(20) NOT NULL,
    linked BIGINT NOT NULL,
    -- When it was last used, give or take a day: an unused link ends.
    used BIGINT NOT NULL
);

CREATE INDEX xmpp_links_by_name ON xmpp_links (name);

CREATE TRIGGER no_xmpp_links AFTER DELETE ON users BEGIN
    DELETE FROM xmpp_links WHERE name = OLD.name;
END;
