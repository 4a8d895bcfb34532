"""The page while its link is slow, stalled or away: one move a turn, and none that comes late."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.rooms.proxy import Proxy
from tests.web.browser import Browser, PageServer, Terminal
from tests.web.fake import fake, fake_login, run, say, sent
from tests.web.games import heaps, take

LOST = "The connection was lost."


def fake_match(browser: Browser, pages: PageServer) -> None:
    """A match that alice has begun, and in which it is her turn."""
    fake_login(browser, pages)
    browser.type("room-name", "den")
    browser.click_on("#create button")
    browser.wait(lambda: "CREATE:den" in moves(browser))
    say(browser, "CREATE:ACKSTATUS:0")
    browser.wait_for_view("room")
    say(browser, "BEGIN:alice:bob")
    browser.wait_for_text("state", "It is your turn.")


def moves(browser: Browser) -> list[str]:
    """What was sent but for questions for rooms."""
    found = run(browser, "return sockets.flatMap((socket) => socket.sent)")
    assert isinstance(found, list)
    return [message for message in found if not message.startswith(("LOGIN", "ROOMLIST"))]


def playable(browser: Browser) -> int:
    """How many cells may be marked."""
    return len(browser.all(".cell[aria-disabled=false]"))


def test_the_board_is_locked_until_the_answer(pages: PageServer, browser: Browser) -> None:
    fake_match(browser, pages)
    browser.click_on(".cell", 0)
    browser.click_on(".cell", 1)
    assert moves(browser) == ["CREATE:den", "PLACE:0:0"]
    assert playable(browser) == 0 and len(browser.all(".cell.pending")) == 1
    assert browser.text("state") == "Your move is on its way."
    say(browser, "BOARDSTATUS:100000000")
    assert browser.text("state") == "It is bob's turn."
    assert not browser.all(".cell.pending") and browser.board() == "X........"
    say(browser, "BOARDSTATUS:100020000")
    assert playable(browser) == 7 and moves(browser) == ["CREATE:den", "PLACE:0:0"]


def test_after_a_silence_a_move_waits_for_a_sign_of_life(
    pages: PageServer, browser: Browser
) -> None:
    fake_match(browser, pages)
    run(browser, "window.deaf = true; pass(1)")
    browser.click_on(".cell", 0)
    assert moves(browser) == ["CREATE:den"] and playable(browser) == 0
    say(browser, "")
    assert moves(browser) == ["CREATE:den", "PLACE:0:0"]


def test_a_move_in_a_stalled_link_is_never_sent(pages: PageServer, browser: Browser) -> None:
    fake_match(browser, pages)
    run(browser, "window.deaf = true; pass(1)")
    browser.click_on(".cell", 0)
    run(browser, "pass(7)")
    assert not browser.find("banner").is_displayed()
    run(browser, "pass(1)")
    assert LOST in browser.text("banner-text") and LOST in browser.text("state")
    assert run(browser, "return sockets[0].readyState") == 3
    browser.click_on(".cell", 1)
    run(browser, "window.deaf = false")
    browser.wait(lambda: run(browser, "return sockets.length") == 2)
    say(browser, "LOGIN:ACKSTATUS:0")
    browser.wait(lambda: "JOIN:den:PLAYER" in moves(browser))
    say(browser, "JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob", "BOARDSTATUS:000000000")
    browser.wait_for_text("state", "It is your turn.")
    assert playable(browser) == 9
    assert moves(browser) == ["CREATE:den", "JOIN:den:PLAYER"]


def test_a_link_that_gives_signs_of_life_stays(pages: PageServer, browser: Browser) -> None:
    fake_match(browser, pages)
    for _ in range(10):
        run(browser, "pass(4)")
    assert not browser.find("banner").is_displayed()
    assert run(browser, "return sockets.length") == 1


def test_a_password_may_take_longer(pages: PageServer, browser: Browser) -> None:
    browser.open(pages.url)
    fake_login(browser, pages)
    run(browser, "window.deaf = true; hangUp(1006, '')")
    browser.wait(lambda: run(browser, "return sockets.length") == 2)
    run(browser, "pass(100)")
    assert run(browser, "return sockets.at(-1).readyState") == 1
    run(browser, "pass(24)")
    assert run(browser, "return sockets[1].readyState") == 3


def test_offline_is_said_and_doubted(pages: PageServer, browser: Browser) -> None:
    fake_match(browser, pages)
    run(browser, "dispatchEvent(new Event('offline'))")
    assert browser.text("banner-text") == "You are offline."
    assert not browser.find("try-now").is_displayed()
    # A server on this very device is there all the same.
    run(browser, "pass(4)")
    assert run(browser, "return sockets[0].readyState") == 1
    run(browser, "window.deaf = true; dispatchEvent(new Event('offline')); pass(6)")
    assert browser.text("banner-text").startswith(f"You are offline. {LOST}")
    run(browser, "window.deaf = false; dispatchEvent(new Event('online'))")
    assert not browser.text("banner-text").startswith("You are offline.")


@pytest.mark.parametrize("game", ["connect-four", "nim"])
def test_a_move_of_another_game_is_never_sent_late_either(
    pages: PageServer, browser: Browser, game: str
) -> None:
    fake(browser, pages, game)
    view = game.replace("connect-", "")
    before = sent(browser)
    run(browser, "window.deaf = true; pass(1)")
    if game == "nim":
        take(browser, 1, 1)
        assert heaps(browser) == [1, 1, 1]
    else:
        browser.click_on(".slot", 0)
        browser.click_on(".slot", 1)
    assert sent(browser) == before
    run(browser, "pass(8)")
    browser.wait_for_text(f"{view}-state", "The connection was lost, and the game with it.")
    assert run(browser, "return sockets[0].sent") == before


def test_a_link_that_stalls_and_flows_again(
    proxy: Proxy, browser: Browser, terminal: Callable[[str], Terminal]
) -> None:
    bob = terminal("bob")
    bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    browser.open(f"http://127.0.0.1:{proxy.port}/")
    browser.register("alice")
    browser.enter("den", "Join")
    bob.expect("BEGIN:bob:alice")
    proxy.stall()
    browser.wait_for_text("banner-text", LOST)
    assert LOST in browser.text("state")
    proxy.flow()
    browser.wait(lambda: not browser.find("banner").is_displayed())
