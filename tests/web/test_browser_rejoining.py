"""Players in browsers whose connections are lost, and a server that holds their seats."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from selenium.webdriver.common.keys import Keys

from tests.rooms.proxy import Proxy
from tests.web.browser import Browser, PageServer, Terminal
from tests.web.test_accessibility import faults, heard

# Longer than a test waits for anything.
SERVER = ("--rejoin-timeout", "300")

AWAY = "The connection was lost. Coming back, if your seat is still held."
GONE = "The connection was lost, and the match with it."
MINE = "It is your turn."

Browse = Callable[[int], list[Browser]]
ToTerminal = Callable[[str], Terminal]

COUNT_JOINS = """
const send = WebSocket.prototype.send;
window.joins = 0;
WebSocket.prototype.send = function (message) {
  if (message.startsWith("JOIN:")) window.joins++;
  return send.call(this, message);
};
"""


@pytest.fixture
def alice(browser: Browser, proxy: Proxy) -> Browser:
    """Somebody who has logged in by that way."""
    browser.open(f"http://127.0.0.1:{proxy.port}/")
    browser.register("alice")
    browser.driver.execute_script(COUNT_JOINS)
    return browser


def joins(browser: Browser) -> int:
    """How often the page has asked for a seat."""
    count: int = browser.driver.execute_script("return window.joins")
    return count


def marks(browser: Browser) -> list[str]:
    """The names of the players, X first, with what is said of them."""
    return [player.text.replace("\n", ": ") for player in browser.all(".player")]


def joined(bob: Terminal, alice: Browser, first: str) -> None:
    """Begin a match of the two in den."""
    if first == "alice":
        alice.create("den")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
    else:
        bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        alice.enter("den", "Join")
        bob.expect("BEGIN:bob:alice")
    alice.wait_for_text("state", "turn")


def log_in(browser: Browser) -> None:
    """Log in as alice."""
    browser.type("login-user", "alice")
    browser.type("login-password", "secret")
    browser.press(Keys.ENTER)


def cut_unnoticed(proxy: Proxy, alice: Browser, asked: int) -> int:
    """Cut the page alone, which asks so often; how many connections the server believes in."""
    made = proxy.made
    proxy.cut_near()
    alice.wait(lambda: joins(alice) >= asked)
    return made


def reload_and_log_in(browser: Browser, user: str = "alice") -> None:
    """Reload, whatever the browser asks, and type the password."""
    browser.driver.refresh()
    browser.wait_for_text("login-hint", f"Welcome back, {user}.")
    browser.press("secret", Keys.ENTER)


def test_a_match_goes_on_after_a_cut_with_the_marks_of_before(
    proxy: Proxy, alice: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    joined(bob, alice, "alice")
    alice.place(4)
    bob.expect("BOARDSTATUS:000010000")
    with alice.without_timers():
        proxy.cut()
        alice.wait_for_text("state", AWAY)
        assert heard(alice) == AWAY and alice.find("banner").is_displayed()
        assert not alice.find("forfeit").is_displayed()
        alice.click_on(".cell", 0)
        assert alice.board() == "....X...."
        bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
        alice.click("try-now")
        alice.wait_for_board("O...X....")
    assert alice.text("state") == MINE and joins(alice) == 1
    assert marks(alice) == ["alice: you, to move", "bob: plays O"]
    alice.wait(lambda: not alice.find("banner").is_displayed())
    assert alice.find("forfeit").is_displayed()
    assert [c.get_attribute("aria-label") for c in alice.all(".cell.last")] == [
        "Row 1, column 1: O, last move"
    ]
    alice.place(6)
    bob.expect("BOARDSTATUS:200010100")
    proxy.cut()  # and again, by itself, and out of turn
    alice.wait(lambda: joins(alice) == 2)
    alice.wait_for_text("state", "It is bob's turn.")
    bob.ask("PLACE:1:0", "BOARDSTATUS:220010100")
    alice.place(2)
    bob.expect("GAMEEND:221010100:0:alice")
    alice.wait_for_text("state", "You have won.")


def test_whoever_has_joined_comes_back_with_the_other_mark(
    proxy: Proxy, alice: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    joined(bob, alice, "bob")
    bob.ask("PLACE:1:1", "BOARDSTATUS:000010000")
    alice.wait_for_text("state", MINE)
    proxy.cut()
    alice.wait(lambda: joins(alice) == 1)
    alice.place(0)
    bob.expect("BOARDSTATUS:200010000")
    assert alice.board() == "O...X...."
    assert marks(alice) == ["bob: to move", "alice: you"]


def test_a_server_that_notices_late_is_asked_again(
    proxy: Proxy, alice: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    joined(bob, alice, "alice")
    made = cut_unnoticed(proxy, alice, 3)
    alice.wait(lambda: not alice.find("banner").is_displayed())
    assert alice.text("state") == AWAY
    assert faults(alice) == []
    proxy.cut_far(made)
    alice.place(4)
    bob.expect("BOARDSTATUS:000010000")
    asked = joins(alice)
    bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
    alice.wait_for_text("state", MINE)
    assert joins(alice) == asked


def test_a_page_cut_off_while_it_asks_comes_back_once(
    proxy: Proxy, alice: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    joined(bob, alice, "alice")
    made = cut_unnoticed(proxy, alice, 1)
    proxy.cut_far(made)
    proxy.cut()
    alice.place(4)
    bob.expect("BOARDSTATUS:000010000")
    assert alice.complaints() == []


def test_a_creator_waits_on_when_the_server_notices_late(
    proxy: Proxy, alice: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    alice.create("den")
    proxy.cut_far(cut_unnoticed(proxy, alice, 2))
    alice.wait_for_text("state", "Waiting for a second player.")
    bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
    alice.place(4)


def test_a_seat_that_nobody_gives_back_is_lost_in_the_end(
    proxy: Proxy, alice: Browser, terminal: ToTerminal
) -> None:
    joined(terminal("bob"), alice, "alice")
    alice.driver.execute_script("window.now = Date.now")
    cut_unnoticed(proxy, alice, 2)
    alice.driver.execute_script("Date.now = () => window.now() + 71_000")
    alice.wait_for_text("state", GONE)
    alice.click("back")
    alice.wait_for_view("lobby")


def test_nobody_has_to_look_at_the_page(proxy: Proxy, alice: Browser, terminal: ToTerminal) -> None:
    joined(terminal("bob"), alice, "alice")
    alice.driver.execute_script("Object.defineProperty(document, 'hidden', { get: () => true })")
    proxy.cut()
    alice.wait(lambda: joins(alice) == 1)
    alice.wait_for_text("state", MINE)


def test_a_creator_comes_back_to_wait(proxy: Proxy, alice: Browser, terminal: ToTerminal) -> None:
    bob = terminal("bob")
    alice.create("den")
    proxy.cut()
    alice.wait_for_text("state", AWAY)
    alice.wait_for_text("state", "Waiting for a second player.")
    with alice.without_timers():
        proxy.cut()
        alice.wait_for_text("state", AWAY)
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        alice.click("try-now")  # to a match that has begun meanwhile
        alice.wait_for_text("state", MINE)
    alice.place(4)
    bob.expect("BOARDSTATUS:000010000")


@pytest.mark.parametrize("first", ["alice", "bob"])
def test_a_match_goes_on_after_a_reload(alice: Browser, terminal: ToTerminal, first: str) -> None:
    bob = terminal("bob")
    joined(bob, alice, first)
    if first == "alice":
        alice.place(4)
        bob.expect("BOARDSTATUS:000010000")
        bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
    else:
        bob.ask("PLACE:1:1", "BOARDSTATUS:000010000")
    before = alice.wait(lambda: MINE in alice.text("state") and (alice.board(), marks(alice)))
    reload_and_log_in(alice)
    alice.wait_for_view("room")
    alice.wait_for_text("state", MINE)
    assert (alice.board(), marks(alice)) == before
    alice.place(8)
    bob.expect("BOARDSTATUS:200010001" if first == "alice" else "BOARDSTATUS:000010002")
    assert alice.complaints() == []


def test_a_creator_reloads_and_waits_on(alice: Browser, terminal: ToTerminal) -> None:
    bob = terminal("bob")
    alice.create("den")
    reload_and_log_in(alice)
    alice.wait_for_text("state", "Waiting for a second player.")
    bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
    alice.place(4)
    bob.expect("BOARDSTATUS:000010000")


def test_a_room_that_is_joined_anew_gives_its_creator_the_first_move(
    alice: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    alice.create("den")
    alice.driver.execute_script("sessionStorage.setItem('tictac', '{\"user\": \"alice\"}')")
    reload_and_log_in(alice)
    alice.enter("den", "Join")
    bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
    alice.place(4)
    bob.expect("BOARDSTATUS:000010000")


def test_a_match_that_has_ended_before_a_reload(alice: Browser, terminal: ToTerminal) -> None:
    bob = terminal("bob")
    joined(bob, alice, "bob")
    alice.driver.get("about:blank")
    bob.ask("FORFEIT", "GAMEEND:000000000:2:alice")
    alice.driver.back()
    alice.wait_for_text("login-hint", "Welcome back, alice.")
    alice.press("secret", Keys.ENTER)
    alice.wait_for_text("state", GONE)
    alice.click("back")
    alice.wait_for_view("lobby")


def test_somebody_else_who_logs_in_has_no_seat(alice: Browser, terminal: ToTerminal) -> None:
    bob = terminal("bob")
    joined(bob, alice, "alice")
    alice.driver.refresh()
    alice.wait_for_text("login-hint", "Welcome back, alice.")
    alice.register("carol")
    kept = alice.driver.execute_script("return sessionStorage.getItem('tictac')")
    assert json.loads(kept) == {"user": "carol"}


def test_ones_own_room_has_no_second_seat_for_oneself(
    server: PageServer, alice: Browser, browse: Browse
) -> None:
    other = browse(2)[1]
    other.open(server.url)
    log_in(other)
    other.wait_for_view("lobby")
    alice.create("den")
    other.click_on("button[aria-label='Join den']")
    other.wait_for_text("lobby-note", "somebody else was faster, or the room is your own.")
    assert alice.text("state") == "Waiting for a second player."


def test_whoever_leaves_for_good_keeps_nobody_waiting(alice: Browser, terminal: ToTerminal) -> None:
    bob = terminal("bob")
    joined(bob, alice, "alice")
    alice.click("log-out")
    alice.wait_for_view("sign-in")
    bob.expect("GAMEEND:000000000:2:bob")
    log_in(alice)
    alice.wait_for_view("lobby")
    alice.create("barn")
    bob.ask("JOIN:barn:VIEWER", "JOIN:ACKSTATUS:0")
    alice.click("log-out")
    bob.expect("GAMEEND:000000000:1")
