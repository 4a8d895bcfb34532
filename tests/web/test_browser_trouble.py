"""The page when something goes wrong: bad input, a reload, a server that goes away."""

from __future__ import annotations

from collections.abc import Callable

from selenium.webdriver.common.keys import Keys

from tests.rooms.proxy import Proxy
from tests.web.browser import Browser, PageServer, Terminal

ToTerminal = Callable[[str], Terminal]


def test_what_cant_be_registered_is_said_in_place(server: PageServer, browser: Browser) -> None:
    server.terminal("bob").close()
    browser.open(server.url)
    browser.click("to-register")
    for user, password, wrong, fault in (
        ("", "secret", "user", "Please enter a name."),
        ("a:b", "secret", "user", "A name has no colon and no comma."),
        ("jörg", "secret", "user", "A name has letters from a to z, digits and signs only."),
        (" alice", "secret", "user", "A name has no blank at its ends."),
        ("alice", "", "password", "Please enter a password."),
        ("alice", "a:b", "password", "A password has no colon."),
        ("alice", "x" * 73, "password", "A password has 72 characters at most."),
        ("bob", "secret", "user", "That name is taken."),
        ("computer", "secret", "user", "That name is taken."),
    ):
        browser.type("register-user", user)
        browser.type("register-password", password)
        browser.press(Keys.ENTER)
        browser.wait_for_text(f"register-{wrong}-error", fault)
        field = browser.find(f"register-{wrong}")
        assert field.get_attribute("aria-invalid") == "true"
        described = (field.get_attribute("aria-describedby") or "").split()
        assert f"register-{wrong}-error" in described
        assert browser.focused == f"register-{wrong}"
    browser.type("register-user", "alice")
    assert browser.find("register-user").get_attribute("aria-invalid") is None
    browser.press(Keys.ENTER)
    browser.wait_for_view("lobby")
    assert browser.text("user") == "alice"
    assert browser.complaints() == []


def test_what_cant_log_in_is_said_in_place(server: PageServer, browser: Browser) -> None:
    server.terminal("bob").close()
    browser.open(server.url)
    for user, password, wrong, fault in (
        ("nobody", "secret", "user", "There is no account of that name."),
        ("bob", "secert", "password", "That isn't the password of this account."),
    ):
        browser.type("login-user", user)
        browser.type("login-password", password)
        browser.press(Keys.ENTER)
        browser.wait_for_text(f"login-{wrong}-error", fault)
        assert browser.focused == f"login-{wrong}"
    browser.type("login-password", "secret")
    browser.press(Keys.ENTER)
    browser.wait_for_view("lobby")
    browser.click("log-out")
    browser.wait_for_view("sign-in")
    assert browser.find("login-user").get_attribute("value") == ""


def test_password_managers_know_the_fields(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    for form, password in (("login", "current-password"), ("register", "new-password")):
        assert browser.find(f"{form}-user").get_attribute("autocomplete") == "username"
        field = browser.find(f"{form}-password")
        assert (field.get_attribute("autocomplete"), field.get_attribute("type")) == (
            password,
            "password",
        )


def kept(browser: Browser) -> str:
    """All that the browser keeps of the page."""
    script = "return JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie])"
    text: str = browser.driver.execute_script(script)
    return text


def test_a_reload_in_the_lobby_asks_for_the_password_alone(
    server: PageServer, browser: Browser
) -> None:
    browser.open(server.url)
    browser.register("alice", "open sesame")
    assert "alice" in kept(browser) and "sesame" not in kept(browser)
    browser.driver.refresh()
    browser.wait_for_text("login-hint", "Welcome back, alice.")
    assert browser.find("login-user").get_attribute("value") == "alice"
    assert browser.focused == "login-password"
    browser.press("open sesame", Keys.ENTER)
    browser.wait_for_view("lobby")
    browser.click("log-out")
    browser.wait_for_view("sign-in")
    assert "alice" not in kept(browser)


def test_a_reload_while_watching_goes_back_to_the_room(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    browser.open(server.url)
    browser.register("alice")
    browser.enter("den", "Watch")
    browser.driver.refresh()
    browser.wait_for_text("login-hint", "Welcome back, alice.")
    browser.press("secret", Keys.ENTER)
    browser.wait_for_view("room")
    assert browser.text("room-title") == "den"


def test_without_a_server_it_says_so(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    server.stop()
    browser.type("login-user", "alice")
    browser.type("login-password", "secret")
    browser.press(Keys.ENTER)
    browser.wait_for_text("login-error", "The server can't be reached.")
    server.start()
    browser.find("login-password").send_keys(Keys.ENTER)
    browser.wait_for_text("login-user-error", "There is no account of that name.")


def test_a_visitor_of_the_lobby_outlives_a_restart(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    browser.open(server.url)
    browser.register("alice")
    # By itself it would perhaps be back before the click, and the button be gone.
    with browser.without_timers():
        server.stop()
        browser.wait_for_text("banner-text", "The connection was lost. Trying again in")
        server.start()
        terminal("bob").ask("CREATE:den", "CREATE:ACKSTATUS:0")
        browser.click("try-now")
        browser.wait(lambda: not browser.find("banner").is_displayed())
        assert browser.text("user") == "alice"
        browser.enter("den", "Join")
    browser.wait_for_text("state", "It is bob's turn.")


def test_it_comes_back_without_being_told_to(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice")
    server.stop()
    browser.wait(lambda: browser.find("banner").is_displayed())
    server.start()
    browser.wait(lambda: not browser.find("banner").is_displayed())
    browser.create("den")


def test_a_lost_connection_loses_the_match_and_says_so(
    server: PageServer, browser: Browser, terminal: ToTerminal
) -> None:
    bob = terminal("bob")
    bob.ask("CREATE:den", "CREATE:ACKSTATUS:0")
    browser.open(server.url)
    browser.register("alice")
    browser.enter("den", "Join")
    bob.expect("BEGIN:bob:alice")
    browser.wait_for_text("state", "It is bob's turn.")
    server.stop()
    browser.wait_for_text("state", "The connection was lost. Coming back, if")
    server.start()
    browser.wait_for_text("state", "The connection was lost, and the match with it.")
    browser.wait(lambda: not browser.find("banner").is_displayed())
    assert browser.focused == "back"
    assert "den" not in kept(browser)
    browser.click("back")
    browser.wait_for_view("lobby")


def test_a_creator_whose_loss_is_unnoticed_does_not_play_alone(
    proxy: Proxy, browser: Browser
) -> None:
    browser.open(f"http://127.0.0.1:{proxy.port}/")
    browser.register("alice")
    browser.create("den")
    proxy.cut_near()
    browser.wait_for_text("state", "The connection was lost, and the room with it.")
    browser.click("back")
    browser.wait(lambda: browser.find("rooms-empty").is_displayed())


def test_an_account_that_is_gone_after_a_restart(server: PageServer, browser: Browser) -> None:
    browser.open(server.url)
    browser.register("alice")
    server.stop()
    for file in server.folder.glob("users.db*"):
        file.unlink()
    server.start()
    browser.wait_for_view("sign-in")
    assert "doesn't take that name and password any more" in browser.text("login-error")
