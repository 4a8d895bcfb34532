"""The page's games when something goes wrong, and how one comes to them and away again."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.nim.helpers import LOSE, turn
from tests.web.browser import Browser, PageServer
from tests.web.fake import fake, fake_login, run, say, sent
from tests.web.games import QUICK, TURN, Four, go_to, heaps, take
from tictac.games.connectfour.rules import Move

SERVER = QUICK

LOST = "The connection was lost, and the game with it."


def is_back(browser: Browser) -> None:
    """Wait until the connection is said to be there again."""
    browser.wait(lambda: not browser.find("banner").is_displayed())


def restart_in(browser: Browser, server: PageServer, view: str) -> None:
    """Stop the server in a game and start it again."""
    server.stop()
    browser.wait_for_text(f"{view}-state", LOST)
    assert browser.focused == f"{view}-new"
    browser.wait_for_text("banner-text", "The connection was lost. Trying again in")
    server.start()
    is_back(browser)
    assert browser.text(f"{view}-state") == LOST
    browser.click(f"{view}-new")


def test_a_restart_in_a_game_of_connect_four(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "connect-four")
    assert Four(browser).play(Move("DROP", 1))
    restart_in(browser, server, "four")
    assert Four(browser).play(Move("DROP", 1))


def test_a_restart_in_a_match_of_nim(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "nim")
    browser.wait_for_text("nim-state", TURN)
    take(browser, 1, 1)
    browser.wait(lambda: sum(heaps(browser)) == 2)
    restart_in(browser, server, "nim")
    browser.wait(lambda: heaps(browser) == [2, 1, 1])


def test_a_question_that_has_become_pointless(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "connect-four")
    assert Four(browser).play(Move("DROP", 1))
    browser.click("four-back")
    assert browser.text("ask-title") == "Give this game up?"
    server.stop()
    browser.wait_for_text("four-state", LOST)
    assert not browser.find("ask").is_displayed()
    server.start()
    is_back(browser)
    browser.click("four-back")
    browser.wait_for_view("sign-in")


def test_a_restart_before_the_first_move_begins_anew_by_itself(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    for game, view in (("connect-four", "four"), ("nim", "nim")):
        go_to(browser, game)
        browser.wait_for_text(f"{view}-state", TURN)
        server.stop()
        browser.wait_for_text(f"{view}-state", "Waiting for the server.")
        server.start()
        browser.wait_for_text(f"{view}-state", TURN)
        assert not browser.find("banner").is_displayed()
        browser.click(f"{view}-back")
        browser.wait_for_view("sign-in")


def test_try_now_in_a_game(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "nim")
    browser.wait_for_text("nim-state", TURN)
    with browser.without_timers():
        server.stop()
        browser.wait_for_text("banner-text", "The connection was lost.")
        server.start()
        browser.click("try-now")
        browser.wait_for_text("nim-state", TURN)
        is_back(browser)


def test_leaving_while_there_is_no_server(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    go_to(browser, "nim")
    browser.wait_for_text("nim-state", TURN)
    server.stop()
    browser.wait(lambda: browser.find("banner").is_displayed())
    browser.click("nim-back")
    browser.wait_for_view("sign-in")
    assert not browser.find("banner").is_displayed()
    server.start()


# Ways in and out


def test_from_the_lobby_and_back(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice")
    go_to(browser, "connect-four")
    assert Four(browser).play(Move("DROP", 1))
    assert browser.text("user") == "alice"
    browser.click("four-back")
    assert browser.find("ask").is_displayed()
    browser.press(Keys.TAB, Keys.ENTER)
    browser.wait_for_view("lobby")
    go_to(browser, "nim")
    browser.wait_for_text("nim-state", TURN)
    browser.driver.back()
    browser.wait_for_view("lobby")
    browser.driver.forward()
    browser.wait_for_view("nim")
    browser.click("log-out")
    browser.wait_for_view("sign-in")
    assert not browser.find("who").is_displayed()


def test_an_address_of_a_game_and_a_reload(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.driver.get(f"{server.url}#/nim")
    browser.driver.refresh()
    browser.wait_for_view("nim")
    browser.wait_for_text("nim-state", TURN)
    assert browser.driver.title.startswith("Your turn ")
    browser.driver.execute_script("location.hash = 'main'")  # "Skip to the content"
    assert browser.find("nim").is_displayed()


def test_a_room_isnt_left_for_a_game(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice")
    browser.create("den")
    browser.driver.execute_script("location.hash = '#/nim'")
    browser.wait(lambda: browser.driver.execute_script("return location.hash") == "")
    assert browser.find("room").is_displayed()
    assert browser.text("state") == "Waiting for a second player."


def test_an_account_that_goes_during_a_game(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice")
    go_to(browser, "nim")
    browser.wait_for_text("nim-state", TURN)
    server.stop()
    browser.wait(lambda: browser.find("banner").is_displayed())
    for file in server.folder.glob("users.db*"):
        file.unlink()
    server.start()
    browser.wait(lambda: not browser.find("who").is_displayed())
    browser.wait_for_text("nim-state", TURN)
    browser.click("nim-back")
    browser.wait_for_view("sign-in")
    assert "doesn't take that name and password any more" in browser.text("login-error")


# What a server says that it shouldn't


@pytest.mark.parametrize(
    "junk",
    [
        ["HELLO"], ["OKAY", "DROP 8"], ["OKAY", "DROP 0"], ["OKAY", "POP 1"], ["OKAY", "drop 1"],
        ["OKAY", "DROP 1", "DROP 1"], ["INVALID"], ["WINNER_RED"], ["OKAY", "WINNER_YELLOW"],
        ["OKAY", "DROP 2", "READY", "READY"], ["<b>OKAY</b>"], [b"OKAY"], ["x" * 5000],
    ],
    ids=lambda junk: str(junk)[:30],
)  # fmt: skip
def test_connect_four_with_junk(
    pages: PageServer, browser: Browser, junk: list[str | bytes]
) -> None:
    fake(browser, pages, "connect-four")
    browser.click_on(".slot", 0)
    assert sent(browser) == ["I32CFSP_HELLO visitor", "AI_GAME", "DROP 1"]
    say(browser, *junk)
    browser.wait_for_text("four-state", "The game can't go on, as the server has said what")
    assert len(browser.text("four-state")) < 140
    assert run(browser, "return sockets.at(-1).readyState") == 3
    assert browser.focused == "four-new"
    assert not browser.all("#four-state b")


@pytest.mark.parametrize(
    "junk",
    [
        b"\7", b"\2", b"\2\0", turn(1, 1)[:-1], turn(1, 1) + b"\0", turn(2, 1),
        turn(3, 1), turn(1, 0), turn(1), turn(2, 1, 1), turn(9), LOSE, "win",
    ],
)  # fmt: skip
def test_nim_with_junk(pages: PageServer, browser: Browser, junk: bytes | str) -> None:
    fake(browser, pages, "nim")
    take(browser, 1, 1)  # 1, 1, 1 is left
    assert sent(browser) == [[1], [3, 0, 0, 0, 0, 1]]
    say(browser, junk)
    browser.wait_for_text("nim-state", "The game can't go on, as the server has said what")
    assert browser.focused == "nim-new"


@pytest.mark.parametrize("game", ["connect-four", "nim"])
def test_the_reasons_of_a_server_that_hangs_up(
    pages: PageServer, browser: Browser, game: str
) -> None:
    view = game.replace("connect-", "")
    for reason, text in (
        ("idle-timeout", "You haven't moved for so long that the server has closed the game."),
        ("too-many-connections", "The server is full. Please try again later."),
        ("rate", "The server has closed the game: rate."),
    ):
        fake(browser, pages, game)
        run(browser, "hangUp(4000, arguments[0])", reason)
        browser.wait_for_text(f"{view}-state", text)
        assert not browser.find("banner").is_displayed()


def test_connect_four_won_drawn_and_with_a_name(pages: PageServer, browser: Browser) -> None:
    fake(browser, pages, "connect-four")
    for _ in range(3):
        browser.click_on(".slot", 0)
        say(browser, "OKAY", "DROP 2", "READY")
    browser.click_on(".slot", 0)
    say(browser, "WINNER_RED")
    browser.wait_for_text("four-state", "You have dropped into column 1. You have won.")
    assert len(browser.all(".slot.won")) == 4
    assert "winner" in browser.all("#four-players .red")[0].text
    browser.press(Keys.ENTER)
    browser.wait(lambda: run(browser, "return sockets.length") == 2)
    say(browser, "WELCOME visitor", "READY")
    for mine, theirs in (("slot", "DROP"), ("pop", "POP")) * 2:
        browser.click_on(f".{mine}", 0)
        say(browser, "OKAY", f"{theirs} 2")
        if len(sent(browser)) < 6:  # type: ignore[arg-type]
            say(browser, "READY")
    run(browser, "hangUp(1001, '')")
    browser.wait_for_text("four-state", "A draw.")
    assert not browser.find("banner").is_displayed()


def test_nim_when_the_server_gives_up(pages: PageServer, browser: Browser) -> None:
    fake(browser, pages, "nim")
    say(browser, b"\4")
    browser.wait_for_text("nim-state", "The computer has given up: you have won.")


@pytest.mark.parametrize(
    "junk",
    [
        "HELLO", "BOARDSTATUS:00000000", "BOARDSTATUS:000000003", "BOARDSTATUS", "BEGIN:a",
        "GAMEEND:000000000:4", "GAMEEND:000000000:0", "GAMEEND:000000000:1:x", "toString",
        "CREATE:ACKSTATUS:0", "LOGIN:ACKSTATUS:", "BADAUTH:x", b"BADAUTH",
    ],
)  # fmt: skip
def test_rooms_with_junk(pages: PageServer, browser: Browser, junk: str | bytes) -> None:
    fake_login(browser, pages)
    say(browser, junk)
    browser.wait_for_view("sign-in")
    assert "The server has said what doesn't fit" in browser.text("login-error")
