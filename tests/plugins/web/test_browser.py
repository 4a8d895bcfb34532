"""The page in real browsers with a real server: playing, watching, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from selenium.webdriver.common.keys import Keys

from tests.plugins.web.browser import PHONE, VIEWS, YOUR_TURN, Browser, PageServer, Terminal
from tests.plugins.web.scripts import FOLLOW

Browse = Callable[[int], list[Browser]]
ToTerminal = Callable[[str], Terminal]


def test_who_opens_a_link_comes_to_the_table_when_logged_in(
    server: PageServer, browse: Browse, terminal: ToTerminal
) -> None:
    carol, browser = terminal("carol-0"), browse(1)[0]
    carol.ask("CREATE:den 0", "CREATE:ACKSTATUS:0")
    browser.open(f"{server.url}room/den%200")
    browser.click("to-register")
    browser.type("register-user", "alice-0")
    browser.type("register-password", "secret")
    browser.press(Keys.ENTER)
    carol.expect("BEGIN:carol-0:alice-0")
    browser.wait_for_text("state", "carol-0 to move")
    browser.click_on(".brand")  # the match goes on meanwhile
    browser.wait_for_view("lobby")
    carol.ask("PLACE:1:1", "BOARDSTATUS:000010000")
    browser.wait_for_text("away", "your turn")
    browser.click("away-back")
    browser.wait_for_text("state", YOUR_TURN)
    browser.resign()
    browser.wait_for_text("state", "You resigned")
    browser.click("back")
    browser.wait_for_view("lobby")
    assert browser.driver.current_url == f"{server.url}game"
    browser.driver.execute_script(FOLLOW, "game/whist")
    browser.wait_for_text("lobby-note", "This server doesn't have that game.")
    browser.driver.execute_script(FOLLOW, "room/nowhere")
    browser.wait_for_text("lobby-note", "This room is closed.")
    assert browser.complaints() == []


def test_two_browsers_with_a_terminal_and_a_third_browser_watching(
    server: PageServer, browse: Browse, terminal: ToTerminal
) -> None:
    alice, bob, vera = browsers = browse(3)
    carol = terminal("carol-1")
    for browser, user in zip(browsers, ("alice-1", "bob-1", "vera-1"), strict=True):
        browser.open(server.url)
        browser.register(user)
    alice.open_table("tictactoe", "anybody", "den 1")
    assert alice.text("state") == "Waiting for another player"
    carol.ask("JOIN:den 1:VIEWER", "JOIN:ACKSTATUS:0")
    bob.enter("den 1", "Join")
    carol.expect("BEGIN:alice-1:bob-1")
    boards = ["000010000", "200010000", "200010100", "220010100"]
    moves = [(alice, "1:1"), (bob, "0:0"), (alice, "0:2"), (bob, "1:0"), (alice, "2:0")]
    for number, (player, move) in enumerate(moves):
        player.play(move)
        if number < 4:
            carol.expect(f"BOARDSTATUS:{boards[number]}")
        if number == 1:  # late, and with the board at once
            vera.enter("den 1", "Watch")
            vera.wait_for_board("O...X....")
    carol.expect("GAMEEND:221010100:0:alice-1")
    for browser, words in zip(browsers, ("You won.", "You lost.", "alice-1 won."), strict=True):
        browser.wait_for_text("state", f"{words}")
        assert browser.board() == "OOX.X.X.."
        won = [cell.get_attribute("data-move") for cell in browser.all(".cell.won")]
        assert won == ["2:0", "1:1", "0:2"] and len(browser.all(".lines line:not(.under)")) == 1
        assert browser.complaints() == []
        browser.click("back")
        browser.wait_for_view("lobby")
    alice.wait(lambda: "den 1" not in alice.text("rooms") + alice.text("played"))


def test_two_who_seek_the_same_meet_talk_and_agree_on_a_draw(
    server: PageServer, browse: Browse
) -> None:
    alice, bob = browsers = browse(2)
    for browser, user in zip(browsers, ("alice-2", "bob-2"), strict=True):
        browser.open(server.url)
        browser.register(user)
        browser.open_table("reversi", "anybody")
    alice.play("d3")
    bob.play("c3")
    alice.wait_for_text("state", YOUR_TURN)
    alice.click("takeback")
    bob.wait_for_text("state", "alice-2 asks for a takeback.")
    bob.click("accept")
    alice.play("d3")
    bob.play("c3")
    bob.type("say-text", "Well done")
    bob.press(Keys.ENTER)
    alice.wait_for_text("talk", "bob-2 Well done")
    alice.click("offer")
    bob.wait_for_text("state", "alice-2 offers a draw.")
    bob.click("accept")
    for browser in browsers:
        browser.wait_for_text("state", "A draw. You both agreed.")
    # Both press it before either hears of the other, unless this machine is busy.
    offer = "document.querySelector('#rematch:enabled:not([hidden]), #accept').click()"
    for browser in browsers:
        browser.driver.execute_script(offer)
    bob.play("d3")
    alice.wait_for_text("state", YOUR_TURN)
    for browser in browsers:
        assert "You ½ \N{EN DASH} ½" in browser.text("series")
        assert browser.complaints() == []


def test_a_private_table_by_its_link(server: PageServer, browse: Browse) -> None:
    alice, bob = browsers = browse(2)
    alice.open(server.url)
    alice.register("alice-3")
    alice.open_table("connectfour", "friend", "burrow")
    link = alice.find("invitation").get_attribute("value") or ""
    alice.click_on(".brand")  # the link stays good
    alice.wait_for_text("away", "Connect Four: Waiting for another player")
    bob.open(server.url)
    bob.register("bob-3")
    assert "burrow" not in bob.text("lobby")
    bob.click("way-friend")
    bob.click_on("#private summary")
    bob.type("by-key-room", "burrow")
    bob.type("by-key-key", "guessed")
    bob.press(Keys.ENTER)
    bob.wait_for_text("lobby-note", "Ask for its link.")
    assert link == f"{server.url}room/burrow/{link.rpartition('/')[2]}"
    bob.driver.execute_script(FOLLOW, link.removeprefix(server.url))
    alice.wait_for_text("away", "against bob-3")
    alice.click("away-back")
    for browser in browsers:
        browser.wait(lambda: browser.text("state") in (YOUR_TURN, "alice-3 to move"))  # noqa: B023
    # A match isn't lost by going back.
    bob.driver.back()
    bob.wait_for_text("away", "alice-3 to move")
    bob.driver.forward()
    bob.wait_for_text("state", "alice-3 to move")
    bob.resign()
    alice.wait_for_text("state", "You won. bob-3 resigned.")
    bob.wait_for_text("state", "You resigned")
    bob.driver.back()
    # His home, if the match is in the archive already.
    bob.wait(lambda: bob.shown(*VIEWS) in (["lobby"], ["home"]))


def test_a_match_goes_on_while_one_reads_another_page(server: PageServer, browse: Browse) -> None:
    alice, bob = browsers = browse(2)
    for browser, user in zip(browsers, ["alice-away", "bob-away"], strict=True):
        browser.open(server.url)
        browser.register(user)
    alice.open_table("tictactoe", "anybody", "nook")
    bob.enter("nook", "Join")
    alice.play("1:1")
    alice.hears("*bob-away to move*")
    alice.click_on(".brand")
    alice.wait_for_text("away", "Tic-tac-toe against bob-away: bob-away to move")
    for path in ("rules/tictactoe", "ratings", "game"):
        alice.driver.execute_script(FOLLOW, path)
        alice.wait(lambda: not alice.shows("table"))
    bob.wait_for_text("state", YOUR_TURN)
    assert "connection" not in bob.text("table")
    bob.play("0:0")
    alice.hears("*Your turn*")
    alice.wait_for_text("away", "your turn")
    # No other match is begun meanwhile, as that would end this one.
    alice.wait_for_view("lobby")
    alice.click("open-go")
    alice.wait_for_text("lobby-note", "Your match still runs.")
    alice.click("away-back")
    alice.play("0:2")
    bob.play("1:0")
    alice.driver.back()
    alice.wait_for_text("away", "your turn")
    alice.driver.forward()
    alice.wait_for_view("table")
    assert not alice.shows("away")
    alice.driver.execute_script(FOLLOW, "rules/tictactoe")
    alice.wait_for_text("away", "your turn")
    bob.resign()
    alice.wait_for_text("away", "You won.")
    alice.click("away-back")
    alice.wait_for_text("state", "You won. bob-away resigned.")
    assert not alice.shows("away")
    for browser in browsers:
        assert browser.complaints() == []


def test_a_guest_is_led_back_from_the_lobby(server: PageServer, browser: Browser) -> None:
    browser.open(server.url, PHONE, to_log_in=False)
    browser.click_on("#front-games .go .main")
    browser.wait_for_text("state", YOUR_TURN)
    browser.click_on(".brand")
    browser.wait_for_view("lobby")
    browser.wait_for_text("away", "your turn")
    browser.click("away-back")
    browser.wait_for_text("state", YOUR_TURN)
    assert browser.complaints() == []


def test_connect_four_against_the_computer_by_keyboard_alone(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    assert browser.focused == "login-user"
    while browser.focused != "to-register":
        browser.press(Keys.TAB)
    browser.press(Keys.ENTER)
    browser.press("alice-4", Keys.TAB, "secret", Keys.ENTER)
    browser.wait_for_view("lobby")
    while "tictactoe" not in value(browser):
        browser.press(Keys.TAB)
    browser.press(Keys.ARROW_RIGHT)
    assert value(browser) == "connectfour"
    browser.press(Keys.TAB, Keys.TAB, Keys.END)  # past the link to the rules
    assert browser.focused == "way-friend"
    browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert browser.focused == "way-computer"
    browser.press(Keys.TAB)
    assert value(browser) == "beginner"
    while browser.focused != "open-go":
        browser.press(Keys.TAB)
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.label() == "Row 3, column 4: empty")
    browser.press(Keys.CONTROL + Keys.END, Keys.HOME, Keys.ENTER)
    browser.wait(lambda: browser.board().count("y") == 1)
    browser.wait_for_text("state", YOUR_TURN)
    assert browser.label().startswith("Row 6, column 1: red")
    while browser.focused != "resign":
        browser.press(Keys.TAB)
    browser.press(Keys.ENTER, Keys.ENTER)  # "Play on", where the focus is
    assert browser.text("state") == YOUR_TURN
    browser.press(Keys.ENTER, Keys.TAB, Keys.ENTER)
    browser.wait_for_text("state", "You lost. You resigned.")
    assert browser.focused == "end-title"  # for what had the focus is gone
    browser.press(Keys.TAB)
    assert browser.focused == "again"
    browser.press(Keys.ENTER)
    browser.wait_for_text("state", YOUR_TURN)
    assert set(browser.board()) == {"."}
    assert browser.complaints() == []
    browser.resign()


def test_a_piece_is_popped_by_the_keyboard(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice-p")
    browser.pick("game", "connectfour")
    browser.click_on("#open-more summary")
    browser.click("option-pops")
    browser.click("open-go")
    browser.wait(lambda: browser.label() == "Row 3, column 4: empty")
    browser.press(Keys.CONTROL + Keys.END, Keys.ARROW_UP, Keys.HOME, Keys.ENTER)
    browser.wait_for_text("state", YOUR_TURN)
    assert browser.label().startswith("Row 6, column 1: red")
    browser.press("p")
    browser.wait(lambda: browser.board()[35] != "r")
    browser.wait_for_text("state", YOUR_TURN)
    browser.resign()


def test_a_guest_plays_nim_against_the_computer_to_its_end(
    server: PageServer, browser: Browser
) -> None:
    browser.open(f"{server.url}game/nim", PHONE)
    browser.wait_for_text("guests-hint", "you play the computer, or watch others.")
    browser.click("as-guest")
    browser.wait_for_view("lobby")
    assert browser.text("user").startswith("guest-")
    assert browser.text("open-ways") == "Computer"
    levels = browser.text("open-levels").split("\n")
    assert levels == ["Pip", "Beginner", "Rook", "Club", "Ada", "Best"]
    browser.wait_for_text("open-hint", "Log in to play with others.")
    assert chosen(browser, "game") == "nim"
    browser.open_table("nim", "best", numbers=3, largest=2)
    browser.wait_for_text("state", YOUR_TURN)
    for _ in range(6):  # pieces at most
        browser.wait(lambda: over(browser) or YOUR_TURN in browser.text("state"))
        if over(browser):
            break
        left = len(browser.all(".stone"))
        browser.click_on(".stone")
        browser.click_on(".stone")
        browser.wait(partial(has_fewer, browser, left))
    assert "Nothing is left." in browser.text("face")
    assert browser.text("end-title") in ("You won", "You lost")
    assert browser.complaints() == []


def value(browser: Browser) -> str:
    """Return the value of what has the focus."""
    return browser.driver.switch_to.active_element.get_attribute("value") or ""


def chosen(browser: Browser, name: str) -> str:
    """Return what is chosen in the form."""
    return browser.all(f"#open input[name={name}]:checked")[0].get_attribute("value") or ""


def has_fewer(browser: Browser, left: int) -> bool:
    """Return whether fewer pieces are shown."""
    return len(browser.all(".stone")) < left


def over(browser: Browser) -> bool:
    """Return whether a match is over."""
    return browser.shows("over")


STORED = "return JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])"


def test_who_reloads_comes_back_to_the_seat(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice-5", "open sesame")
    browser.open_table("tictactoe", "beginner")
    browser.play("1:1")
    browser.wait(lambda: browser.board().count("O") == 1)
    browser.wait_for_text("state", YOUR_TURN)
    seen = browser.board()
    kept = browser.driver.execute_script(STORED)
    assert "alice-5" in kept and "sesame" not in kept
    reload(browser)
    browser.wait_for_text("state", YOUR_TURN)
    assert browser.board() == seen
    browser.menu("log-out")
    browser.click("ask-yes")
    browser.wait_for_view("sign-in")
    assert "alice-5" not in browser.driver.execute_script(STORED)
    browser.log_in("alice-5", "open sesame")  # and nothing waits for whoever has left for good
    browser.wait_for_view("lobby")
    assert "computer" not in browser.text("rooms") + browser.text("played")


def test_a_second_tab_takes_the_seat_over_and_gives_it_back(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    browser.register("alice-t")
    browser.open_table("tictactoe", "beginner", "den-t")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.driver.get(f"{server.url}room/den-t")
        browser.wait_for_view("table")
        browser.wait(lambda: "You're watching." in browser.read("watching"))  # or hidden
        browser.click("here")
        browser.wait_for_text("state", YOUR_TURN)
        second = browser.driver.current_window_handle
        browser.driver.switch_to.window(first)
        browser.wait_for_text("state", "You're playing in another tab or on another device.")
        browser.click("here")
        browser.play("1:1")
        browser.driver.switch_to.window(second)
        browser.wait_for_text("state", "You're playing in another tab or on another device.")
        browser.click("back")
        browser.wait_for_view("lobby")
        browser.enter("den-t", "Join")
        browser.wait_for_text("state", YOUR_TURN)
        browser.resign()
        browser.click("back")
        browser.menu("log-out")
        browser.wait_for_view("sign-in")
        browser.driver.switch_to.window(first)
        browser.wait_for_view("sign-in")
        browser.wait_for_text("login-error", "You're logged out on this device.")
        browser.driver.switch_to.window(second)
        assert browser.complaints() == []
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)


def test_who_watches_may_go_elsewhere_by_an_address_and_not_to_the_table_again(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    bob, carol = terminal("bob-w"), terminal("carol-w")
    bob.ask("CREATE:den w", "CREATE:ACKSTATUS:0")
    carol.ask("JOIN:den w:PLAYER", "JOIN:ACKSTATUS:0")
    browser.open(server.url)
    browser.register("vera-w")
    browser.enter("den w", "Watch")
    browser.driver.refresh()
    browser.wait_for_view("table")
    browser.wait_for_text("watching", "You're watching.")
    browser.driver.get(server.url)
    browser.wait_for_view("lobby")
    assert browser.driver.current_url == server.url


def test_who_doesnt_stay_is_known_to_one_tab_alone(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.click("to-register")
    browser.click("register-stay")
    browser.register("alice-u")
    browser.driver.refresh()
    browser.wait_for_view("lobby")
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.driver.get(server.url)
        browser.wait_for_view("front")
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)


def test_logging_out_everywhere_ends_what_other_devices_keep(
    server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    laptop, phone = browse(2)
    laptop.open(server.url)
    laptop.register("alice-v")
    phone.open(server.url, PHONE)
    phone.log_in("alice-v")
    phone.wait_for_view("lobby")
    laptop.menu("log-out-everywhere")
    laptop.wait_for_view("sign-in")
    phone.driver.refresh()
    phone.wait_for_view("sign-in")
    phone.wait_for_text("login-error", "You're logged out on this device. Log in again.")
    assert "alice-v" not in phone.driver.execute_script(STORED)
    assert laptop.complaints() == phone.complaints() == []


def reload(browser: Browser) -> None:
    """Do it, although the browser asks first whether that is meant."""
    browser.driver.execute_script(
        "addEventListener('beforeunload', (e) => e.stopImmediatePropagation(), true)"
    )
    browser.driver.refresh()
