"""The page in real browsers: playing, watching, by mouse and by keyboard, on a phone."""

from __future__ import annotations

from collections.abc import Callable

from selenium.webdriver.common.keys import Keys

from tests.web.browser import (
    PHONE,
    Browser,
    PageServer,
    Terminal,
    scrolls_sideways,
    widen_letters,
)

Browse = Callable[[int], list[Browser]]
ToTerminal = Callable[[str], Terminal]


def test_two_browsers_with_a_terminal_and_a_third_browser_watching(
    server: PageServer, browse: Browse, terminal: ToTerminal
) -> None:
    alice, bob, vera = browse(3)
    carol = terminal("carol")
    for browser, user in ((alice, "alice"), (bob, "bob"), (vera, "vera")):
        browser.open(server.url)
        browser.register(user)
    alice.create("den")
    assert alice.text("state") == "Waiting for a second player."
    vera.enter("den", "Watch")
    carol.ask("JOIN:den:VIEWER", "JOIN:ACKSTATUS:0")
    bob.enter("den", "Join")
    carol.expect("BEGIN:alice:bob")
    moves = [(alice, 4), (bob, 0), (alice, 6), (bob, 1), (alice, 2)]
    boards = ["000010000", "200010000", "200010100", "220010100"]
    for (player, cell), board in zip(moves, [*boards, ""], strict=True):
        player.place(cell)
        shown = board.replace("0", ".").replace("1", "X").replace("2", "O") or "OOX.X.X.."
        for browser in (alice, bob, vera):
            browser.wait_for_board(shown)
            assert [c.get_attribute("aria-label") for c in browser.all(".cell.last")] == [
                c.get_attribute("aria-label") for c in (browser.all(".cell")[cell],)
            ]
        carol.expect(f"BOARDSTATUS:{board}" if board else "GAMEEND:221010100:0:alice")
    for browser, state in (
        (alice, "You have won."),
        (bob, "alice has won."),
        (vera, "alice has won."),
    ):
        browser.wait_for_text("state", state)
        won = [
            n
            for n, c in enumerate(browser.all(".cell"))
            if "won" in (c.get_attribute("class") or "")
        ]
        assert won == [2, 4, 6]
        assert len(browser.all(".strike line")) == 1
        assert browser.focused == "back"
        assert browser.complaints() == []
        browser.click("back")
        browser.wait_for_view("lobby")


def test_a_terminal_against_a_browser_that_gives_up_after_a_question(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    browser.open(server.url)
    browser.register("alice")
    bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    browser.enter("den", "Join")
    bob.expect("BEGIN:bob:alice")
    bob.ask("PLACE:1:1", "BOARDSTATUS:000010000")
    browser.wait_for_text("state", "It is your turn.")
    browser.click_on(".cell", 4)  # taken: nothing happens
    browser.click("forfeit")
    assert browser.find("ask").is_displayed()
    browser.press(Keys.ENTER)  # "Play on", where the focus is
    assert not browser.find("ask").is_displayed()
    browser.place(0)
    bob.expect("BOARDSTATUS:200010000")
    browser.click("forfeit")
    browser.press(Keys.TAB, Keys.ENTER)
    bob.expect("GAMEEND:200010000:2:bob")
    browser.wait_for_text("state", "You have given up: bob has won.")


def test_whoever_watches_late_is_told_whose_turn_it_is(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    bob, carol = terminal("bob"), terminal("carol")
    bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    carol.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:bob:carol")
    bob.expect("BEGIN:bob:carol")
    bob.ask("PLACE:1:1", "BOARDSTATUS:000010000")
    browser.open(server.url)
    browser.register("alice")
    browser.enter("den", "Watch")
    browser.wait_for_text("state", "It is carol's turn.")
    assert "with the next move" in browser.all(".veil")[0].text
    carol.send("PLACE:0:0")
    browser.wait(lambda: browser.board() == "O...X....")
    assert [p.text for p in browser.all(".player .name")] == ["bob", "carol"]
    assert not browser.all(".veil")[0].is_displayed()
    browser.click("stop-watching")
    browser.wait_for_view("lobby")
    browser.enter("den", "Watch")  # logged in again behind the scenes


def test_a_match_against_the_computer_by_keyboard_alone(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    assert browser.focused == "login-user"
    browser.press(Keys.TAB, Keys.TAB, Keys.TAB)
    assert browser.focused == "to-register"
    browser.press(Keys.ENTER)
    assert browser.focused == "register-user"
    browser.press("alice", Keys.TAB, "secret", Keys.ENTER)
    browser.wait_for_view("lobby")
    browser.press(Keys.TAB)
    assert browser.focused == "play-computer"
    browser.press(Keys.ENTER)
    browser.wait_for_text("state", "It is your turn.")
    for cell in range(9):
        play_by_keys(browser)
        if browser.find("back").is_displayed():
            break
        assert cell < 5, "nobody has more than five moves"
    assert browser.focused == "again"
    browser.press(Keys.ENTER)
    browser.wait_for_text("state", "It is your turn.")
    assert browser.board() == "." * 9


def play_by_keys(browser: Browser) -> None:
    """Walk to the first empty cell and mark it; wait until something is to be done."""
    board = browser.board()
    target = board.index(".")
    browser.press(Keys.CONTROL + Keys.HOME)
    browser.press(*[Keys.ARROW_DOWN] * (target // 3), *[Keys.ARROW_RIGHT] * (target % 3))
    label = browser.driver.switch_to.active_element.get_attribute("aria-label")
    assert label == f"Row {target // 3 + 1}, column {target % 3 + 1}: empty"
    browser.press(Keys.ENTER)

    def answered() -> bool:
        marks = sum(mark != "." for mark in browser.board())
        had = sum(mark != "." for mark in board)
        return browser.find("back").is_displayed() or marks == had + 2

    browser.wait(answered)


def test_one_cell_is_reached_by_tab_and_the_edges_hold(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    browser.register("alice")
    browser.click("play-computer")
    browser.wait_for_text("state", "It is your turn.")
    assert [c.get_attribute("tabindex") for c in browser.all(".cell")].count("0") == 1
    browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_UP)
    assert browser.all(".cell")[0].get_attribute("tabindex") == "0"
    browser.press(Keys.END, Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert browser.all(".cell")[5].get_attribute("tabindex") == "0"
    browser.press(Keys.TAB)
    assert browser.focused == "forfeit"


def test_the_lobby_keeps_itself_up_to_date(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    browser.open(server.url)
    browser.register("alice")
    assert browser.find("rooms-empty").is_displayed()
    bob, carol = terminal("bob"), terminal("carol")
    bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    browser.wait(lambda: [i.text for i in browser.all("#rooms .name")] == ["den"])
    assert browser.text("rooms-count") == "1 room, 1 to join"
    carol.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:bob:carol")
    browser.wait_for_text("rooms-count", "1 room, 0 to join")
    assert not browser.all("#rooms .join")[0].is_displayed()
    bob.expect("BEGIN:bob:carol")
    bob.send("FORFEIT")
    browser.wait(lambda: browser.find("rooms-empty").is_displayed())


def test_a_room_that_cant_be_had(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    terminal("bob").ask("CREATE:den", "CREATE:ACKSTATUS:0")
    browser.open(server.url)
    browser.register("alice")
    for room, fault in (
        ("", "Please name your room."),
        ("what?", "letters, digits, dashes, blanks and underscores only"),
        ("den", "There is a room of that name already."),
    ):
        browser.type("room-name", room)
        browser.press(Keys.ENTER)
        browser.wait_for_text("room-name-error", fault)
        assert browser.find("room-name").get_attribute("aria-invalid") == "true"
        assert browser.focused == "room-name"
    browser.create("burrow")
    browser.click("close-room")
    browser.wait_for_text("state", "The room was closed.")


def test_on_a_phone(server: PageServer, browser: Browser, terminal: ToTerminal) -> None:
    bob = terminal("bob")
    browser.open(server.url, PHONE)
    assert not scrolls_sideways(browser)
    browser.register("a-name-of-20-letters")
    bob.ask("CREATE:a room of 20 letters", "CREATE:ACKSTATUS:0")
    browser.wait(lambda: browser.all("#rooms li"))
    assert not scrolls_sideways(browser)
    browser.enter("a room of 20 letters", "Join")
    bob.expect("BEGIN:bob:a-name-of-20-letters")
    assert not scrolls_sideways(browser)
    bob.ask("PLACE:1:1", "BOARDSTATUS:000010000")
    browser.place(0)
    bob.expect("BOARDSTATUS:200010000")
    for cell in browser.all(".cell"):
        assert min(cell.size["width"], cell.size["height"]) >= 44
    for _ in range(2):
        board = browser.all(".board")[0]
        assert board.location["y"] + board.size["height"] <= PHONE[1], "without scrolling"
        widen_letters(browser)  # in any font
