"""The page with a real server when something goes wrong: bad input, a cut, a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from tests.protocols.rooms.proxy import Proxy
from tests.protocols.web.browser import YOUR_TURN, Browser, PageServer


def test_what_cant_be_registered_or_log_in_is_said_in_place(
    server: PageServer, browser: Browser
) -> None:
    server.terminal("bob-7").close()
    browser.open(server.url)
    letters, too_long = "A name has up to 20 letters", "A password has up to 72 letters"
    browser.click("to-register")
    for form, user, password, wrong, fault in (
        ("register", "", "secret", "user", "Please enter a name."),
        ("register", "a:b", "secret", "user", letters),
        ("register", "j\N{ZERO WIDTH SPACE}örg", "secret", "user", letters),
        ("register", "alice-7", "", "password", "Please enter a password."),
        ("register", "alice-7", "密" * 25, "password", too_long),
        ("register", "bob-7", "secret", "user", "That name is taken."),
        ("register", "computer", "secret", "user", "That name is taken."),
        ("login", "nobody", "secret", "user", "There's no account with that name."),
        ("login", "bob-7", "secert", "password", "That isn't the password of this account."),
    ):
        if form == "login" and browser.shows("to-login"):
            browser.click("to-login")
        browser.type(f"{form}-user", user)
        browser.type(f"{form}-password", password)
        browser.press(Keys.ENTER)
        browser.wait_for_text(f"{form}-{wrong}-error", fault)
        field = browser.find(f"{form}-{wrong}")
        assert field.get_attribute("aria-invalid") == "true"
        assert f"{form}-{wrong}-error" in (field.get_attribute("aria-describedby") or "").split()
        browser.wait_for_focus(f"{form}-{wrong}")
    browser.type("login-password", "secret")
    browser.press(Keys.ENTER)
    browser.wait_for_view("lobby")
    assert browser.text("user") == "bob-7" and browser.complaints() == []


def test_what_the_form_of_a_table_gets_wrong_is_said_in_place(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    browser.register("alice-8")
    browser.click("way-anybody")
    browser.click_on("#open-more summary")
    for room, fault in (("what?", "letters, digits, spaces, dashes"), ("den 8", "")):
        browser.type("open-name", room)
        browser.press(Keys.ENTER)
        if fault:
            browser.wait_for_text("open-name-error", fault)
            assert browser.focused == "open-name"
    browser.wait_for_view("table")
    browser.click("leave")
    browser.wait_for_view("lobby")


def test_a_match_goes_on_after_a_cut_that_the_server_notices_late(
    server: PageServer, proxy: Proxy, browser: Browser
) -> None:
    bob = server.terminal("bob-9")
    browser.open(f"http://127.0.0.1:{proxy.port}/")
    browser.register("alice-9")
    bob.ask("CREATE:den 9", "CREATE:ACKSTATUS:0")
    browser.enter("den 9", "Join")
    bob.expect("BEGIN:bob-9:alice-9")
    browser.wait_for_text("state", "bob-9 to move")
    made = proxy.made
    proxy.cut_near()
    browser.wait_for_text("state", "Connection lost. Reconnecting")
    bob.ask("PLACE:1:1", "BOARDSTATUS:000010000")
    proxy.wait_for(made + 1)
    proxy.cut_far(made)
    # What was missed comes with it.
    browser.play("0:0")
    bob.expect("BOARDSTATUS:200010000")
    browser.wait_for_board("O...X....")
    assert browser.complaints() == []
    bob.close()


def test_both_sides_hear_that_one_was_cut_off_and_hasnt_come_back(
    tmp_path: Path, browse: Callable[[int], list[Browser]]
) -> None:
    server = PageServer(tmp_path, "--rejoin-timeout", "5")
    try:
        alice, bob = browsers = browse(2)
        for browser, user in zip(browsers, ("alice", "bob"), strict=True):
            browser.open(server.url)
            browser.register(user)
        alice.open_table("reversi", "anybody", "den")
        bob.enter("den", "Join")
        bob.wait_for_text("state", "alice to move")
        leave_without_a_word(bob, "about:blank")
        alice.wait_for_text("state", "bob: disconnected, ")
        alice.wait_for_text("state", "You won. bob disconnected and didn't come back.")
        bob.driver.get(server.url)
        bob.wait_for_text("state", "You lost. You were disconnected for too long.")
        assert bob.shows("replay")
        for browser in browsers:
            assert browser.complaints() == []
    finally:
        server.end()


def leave_without_a_word(browser: Browser, url: str) -> None:
    """Go elsewhere, although the browser asks first whether that is meant."""
    browser.driver.execute_script(
        "addEventListener('beforeunload', (e) => e.stopImmediatePropagation(), true)"
    )
    browser.driver.get(url)


def test_a_restart(restarted: PageServer, browser: Browser) -> None:
    browser.open(restarted.url)
    browser.register("alice")
    restarted.stop()
    browser.wait_for_text("banner-text", "Connection lost. Reconnecting in")
    assert browser.shows("try-now")
    restarted.start()
    # The page may be faster by itself: then the button is gone.
    browser.driver.execute_script("document.getElementById('try-now').click()")
    browser.wait(lambda: not browser.shows("banner"))
    browser.open_table("nim", "club")
    browser.wait_for_text("state", YOUR_TURN)
    restarted.stop()
    browser.wait_for_text("state", "Connection lost. Reconnecting")
    restarted.start()  # the page notices by itself
    browser.wait_for_text("state", "The match is over, or you lost your seat in it.")
    assert not browser.shows("banner")
    browser.click("back")
    restarted.stop()
    for file in restarted.folder.glob("users.db*"):
        file.unlink()
    browser.menu("log-out")
    browser.log_in("alice")
    browser.wait_for_text("login-error", "The server can't be reached.")
    restarted.start()
    browser.press(Keys.ENTER)
    browser.wait_for_text("login-user-error", "There's no account with that name.")


def test_without_a_connection_the_page_opens_and_says_so(
    restarted: PageServer, browser: Browser
) -> None:
    browser.open(f"{restarted.url}game/nim")
    browser.driver.execute_script("return navigator.serviceWorker.ready.then(() => true)")
    restarted.stop()
    browser.driver.refresh()
    browser.wait_for_view("front")
    browser.click("to-sign-in")
    browser.wait_for_text("banner-text", "The server can't be reached.")
    restarted.start()
    browser.click("try-now")
    browser.wait_for_text("guests-hint", "you play the computer")
    assert not browser.shows("banner")
