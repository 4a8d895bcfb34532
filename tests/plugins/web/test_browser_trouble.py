"""The page with a real server when something goes wrong: bad input, a cut, a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import PHONE, YOUR_TURN, Browser, PageServer
from tests.plugins.web.scripts import go
from tests.protocols.rooms.proxy import Proxy


def test_what_cant_be_registered_or_log_in_is_said_in_place(
    server: PageServer, browser: Browser
) -> None:
    server.terminal("bob-7").close()
    browser.open(server.url)
    letters, too_long = "A name has up to 20 letters", "A password has up to 72 letters"
    browser.click("to-register")
    assert not browser.shows("register-password-hint")  # until a limit is met
    for form, user, password, wrong, fault in (
        ("register", "", "secret", "user", "Enter a name."),
        ("register", "a:b", "secret", "user", letters),
        ("register", "j\N{ZERO WIDTH SPACE}örg", "secret", "user", letters),
        ("register", "alice-7", "", "password", "Enter a password."),
        ("register", "alice-7", "密" * 25, "password", too_long),
        ("register", "bob-7", "secret", "user", "That name is taken."),
        ("register", "computer", "secret", "user", "That name is taken."),
        ("login", "nobody", "secret", "password", "The name or the password is wrong."),
        ("login", "bob-7", "secert", "password", "The name or the password is wrong."),
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


# A seat that isn't in sight

ELSEWHERE = (
    "ratings", "watch", "tournaments", "rules/nim", "admin", "player/bob", "match/nothing",
    "nothing", "room/nothing", "mine", "rules", "ratings/nim",
)  # fmt: skip

MOVES = """
const bar = document.getElementById("away");
const parts = document.querySelectorAll("header *, main *");
const places = () => JSON.stringify([...parts].map((each) => {
  const { x, y, width } = each.getBoundingClientRect();
  return [x, y, width];
}));
bar.hidden = true;
const before = places();
bar.hidden = false;
return before !== places();
"""
"""Whether anything moves when the bar comes."""


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server where guests play with others, which holds seats longer than a test waits."""
    options = "--guests", "--rejoin-timeout", "300"
    with PageServer(tmp_path_factory.mktemp("lenient"), *options) as running:
        yield running


def meet(server: PageServer, alice: Browser, bob: Browser, number: int) -> str:
    """Let two accounts play a private match of Reversi, in which bob is to move; its link."""
    for browser, user in ((alice, f"alice-{number}"), (bob, f"bob-{number}")):
        browser.open(server.url)
        browser.register(user)
    return invite(alice, bob)


def invite(alice: Browser, bob: Browser) -> str:
    """Let bob follow alice's link to a match of Reversi, in which she makes a move; the link."""
    alice.click("way-friend")
    alice.pick("time", "300+3")
    alice.open_table("reversi", "friend")
    link = alice.find("invitation").get_attribute("value") or ""
    bob.driver.get(link)
    bob.wait(lambda: bob.shown("table", "invited-play"))
    if bob.shown("invited-play"):
        bob.click("invited-play")
    alice.play("d3")
    bob.wait_for_text("state", YOUR_TURN)
    return link


def miss_the_end(
    server: PageServer, browse: Callable[[int], list[Browser]], number: int
) -> Browser:
    """Let bob resign while alice is away; her browser."""
    alice, bob = browse(2)
    meet(server, alice, bob, number)
    leave_without_a_word(alice, "about:blank")
    bob.wait_for_text("state", f"alice-{number}: disconnected, ")
    bob.resign()
    bob.wait_for_text("state", "You lost")
    return alice


def wait_for_bar(browser: Browser, text: str) -> None:
    browser.wait(lambda: browser.shown("away") and text in browser.text("away"), text)


def test_every_view_leads_back_to_a_seat(
    lenient: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    """Acceptance 3: each address has the bar, which moves nothing; / and Play lead to the board."""
    alice, bob = browse(2)
    room = meet(lenient, alice, bob, 1).split("/")[4]
    for path in ELSEWHERE:
        leave_without_a_word(alice, lenient.url + path)
        bob.hears("*alice-1 is here.*")
        wait_for_bar(alice, "Reversi against bob-1: bob-1 to move")
        assert room not in alice.text("away") and path in alice.driver.current_url
        assert alice.text("away-back") == "Back to the board"
        assert not alice.driver.execute_script(MOVES), path
    assert len(alice.all("#away .mini .mark")) == 5
    assert faults(alice) == []
    alice.click("away-back")
    alice.wait_for_text("state", "bob-1 to move")
    assert not alice.shown("away") and room in alice.driver.current_url
    leave_without_a_word(alice, lenient.url)
    alice.wait_for_text("state", "bob-1 to move")
    leave_without_a_word(alice, f"{lenient.url}ratings")
    wait_for_bar(alice, "bob-1 to move")
    alice.click_on("#ways a[href='/']")
    alice.wait_for_text("state", "bob-1 to move")
    assert not alice.shown("away") and room in alice.driver.current_url
    # Somebody who logs in anew doesn't know the key any more.
    alice.driver.execute_script("sessionStorage.clear(); localStorage.clear()")
    leave_without_a_word(alice, lenient.url)
    alice.click("to-sign-in")
    alice.log_in("alice-1")
    alice.wait_for_text("state", "bob-1 to move")
    bob.play("c3")
    alice.play("c4")
    assert not [each for each in alice.complaints() if "Uncaught" in each]


def test_the_end_of_a_match_while_one_is_elsewhere_is_a_whole_view(
    lenient: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    """Acceptance 5: the bar says it, and leads to the board, both clocks, names, and the card."""
    alice = miss_the_end(lenient, browse, 2)
    alice.driver.get(f"{lenient.url}ratings")
    wait_for_bar(alice, "Reversi against bob-2 ended while you were away.")
    assert alice.text("away").startswith("You won.")
    assert alice.text("away-back") == "See the result"
    alice.click("away-back")
    alice.wait(lambda: alice.text("table-title") == "Reversi")
    alice.wait_for_text("state", "You won. bob-2 resigned.")
    assert not alice.shown("rematch", "other") and alice.shows("replay") and alice.shows("over")
    alice.click("end-close")
    assert len(alice.all(".board .cell")) == 64 and alice.all(".hold")[0].rect["height"] >= 300
    assert "alice-2" in alice.text("below") and "bob-2" in alice.text("above")
    assert len(alice.texts(".stage .clock")) == 2
    alice.click("back")
    alice.wait_for_view("lobby")
    assert not alice.shown("away"), "it has been seen"
    alice.driver.refresh()
    alice.wait_for_view("lobby")
    assert not alice.shown("away")


def test_an_end_may_be_put_away(
    lenient: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    alice = miss_the_end(lenient, browse, 3)
    alice.driver.get(f"{lenient.url}rules")
    wait_for_bar(alice, "ended while you were away.")
    alice.click("away-close")
    assert not alice.shown("away")
    go(alice, "/")
    alice.wait_for_view("lobby")


def test_a_guest_who_reloads_keeps_the_seat(
    lenient: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    """Acceptance 4."""
    alice, guest = browse(2)
    alice.open(lenient.url)
    alice.register("alice-9")
    guest.open(lenient.url, PHONE, to_log_in=False)
    link = invite(alice, guest)
    name, position = guest.read("user"), guest.board()
    for path in (link, lenient.url):
        leave_without_a_word(guest, path)
        guest.wait_for_text("state", YOUR_TURN)
        assert (guest.read("user"), guest.board()) == (name, position)
    leave_without_a_word(guest, f"{lenient.url}watch")
    alice.hears(f"*{name} is here.*")
    wait_for_bar(guest, "Reversi against alice-9: your turn")
    guest.click("away-back")
    guest.play("c3")
    alice.wait_for_text("state", YOUR_TURN)


@pytest.mark.parametrize("way", ["friend", "anybody"])
def test_a_room_waits_while_its_player_opens_another_address(
    lenient: PageServer, browse: Callable[[int], list[Browser]], way: str
) -> None:
    alice, bob = browse(2)
    for browser in (alice, bob):
        browser.open(lenient.url)
        browser.register(f"{'alice' if browser is alice else 'bob'}-{way}")
    alice.click(f"way-{way}")
    alice.open_table("nim", way, f"nook-{way}")
    link = alice.driver.current_url
    alice.click_on(".brand")  # as a link to another view
    wait_for_bar(alice, "Nim: ")
    alice.driver.get(f"{lenient.url}rules")
    wait_for_bar(alice, "Nim: Waiting for another player")
    bob.driver.get(link)
    wait_for_bar(alice, f"Nim against bob-{way}: ")
    alice.click("away-back")
    alice.wait(lambda: f"bob-{way}" in alice.text("above"))
    assert alice.complaints() == []


def test_a_tab_is_told_of_a_seat_when_the_other_one_is_closed(
    lenient: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    alice, bob = browse(2)
    meet(lenient, alice, bob, 4)
    first = alice.driver.current_window_handle
    alice.driver.switch_to.new_window("tab")
    try:
        alice.driver.get(f"{lenient.url}rules")
        alice.wait(lambda: alice.shows("guide"))
        second = alice.driver.current_window_handle
        alice.driver.switch_to.window(first)
        leave_without_a_word(alice, "about:blank")
        alice.driver.switch_to.window(second)
        wait_for_bar(alice, "Reversi against bob-4: bob-4 to move")
        alice.driver.close()
    finally:
        alice.driver.switch_to.window(first)


# The server


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
    browser.wait_for_text("login-password-error", "The name or the password is wrong.")


def test_without_a_connection_the_page_opens_and_says_so(
    restarted: PageServer, browser: Browser
) -> None:
    browser.open(f"{restarted.url}game/nim")
    browser.driver.execute_script("return navigator.serviceWorker.ready.then(() => true)")
    restarted.stop()
    browser.driver.refresh()
    browser.wait_for_view("front")
    browser.wait_for_text("banner-text", "The server can't be reached.")
    browser.click("to-sign-in")
    browser.wait_for_text("banner-text", "The server can't be reached.")
    restarted.start()
    browser.driver.execute_script("document.getElementById('try-now').click()")
    browser.wait_for_text("guests-hint", "you play the computer")
    assert not browser.shows("banner")


SHOWN = {
    "game/nim": "A friend", "mine": "No games right now", "notices": "Get a notice",
    "player/alice": "No finished matches", "tournaments": "No tournaments yet",
    "watch": "No one is playing right now", "ratings/nim": "No player has a rating here yet",
    "rules/nim": "How to play Nim", "puzzle": "Ada is still looking", "admin": "for admins",
    "match/nothing": "There's no such match.", "room/nothing": "This room is closed.",
    "tournament/nothing": "There's no such tournament.",
}  # fmt: skip
"""What each view says when the server is there."""


@pytest.mark.parametrize("is_new", [False, True])
def test_every_view_comes_again_after_a_restart(
    restarted: PageServer, browser: Browser, is_new: bool
) -> None:
    """Acceptance 6: those that were open, and those opened anew without the server.

    Meanwhile all of them have a sentence, that of the bar.
    """
    browser.open(restarted.url)
    browser.register("alice")
    browser.driver.execute_script("return navigator.serviceWorker.ready.then(() => true)")
    first = browser.driver.current_window_handle
    tabs = {}
    try:
        for path, shown in SHOWN.items():
            browser.driver.switch_to.new_window("tab")
            tabs[path] = browser.driver.current_window_handle
            browser.driver.get(restarted.url + path)
            browser.wait_for_text("main", shown)
        restarted.stop()
        for tab in tabs.values():
            browser.driver.switch_to.window(tab)
            if is_new:
                browser.driver.refresh()
            browser.wait_for_text("banner-text", "Connection lost.")
        restarted.start()  # the page notices by itself
        for path, tab in tabs.items():
            browser.driver.switch_to.window(tab)
            browser.wait_for_text("main", SHOWN[path])
            browser.wait(lambda: not browser.shown("banner"), path)
    finally:
        for tab in tabs.values():
            browser.driver.switch_to.window(tab)
            browser.driver.close()
        browser.driver.switch_to.window(first)
