"""The front page and invitations: what visitors see who aren't logged in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from selenium.webdriver.support.ui import Select

from tests.plugins.web.axe import faults
from tests.plugins.web.browser import (
    DESKTOP,
    PHONE,
    YOUR_TURN,
    Browser,
    PageServer,
    Terminal,
    scrolls_sideways,
)

SHOWN = """
return [...document.querySelectorAll(arguments[0])].filter((each) => {
  const { top, bottom } = each.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}).length
"""


INVITED = """
const fetched = window.fetch;
const about = { owner: "bob", game: "nim", title: "Nim", goal: "", players: ["bob", null] };
window.fetch = (path) => {
  if (!`${path}`.startsWith("/api/rooms/")) return fetched(path);
  return Promise.resolve(new Response(JSON.stringify(about)));
};
"""


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    """Yield a server where guests play with others."""
    with PageServer(tmp_path_factory.mktemp("open"), "--guests") as running:
        yield running


def visit(
    browser: Browser, url: str, size: tuple[int, int] = DESKTOP, scheme: str = "light"
) -> None:
    """Come for the first time."""
    browser.open(url, size, scheme, to_log_in=False)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_game_is_in_sight_on_a_desk_and_on_a_phone(
    server: PageServer, browser: Browser, scheme: str
) -> None:
    for size, selector, count in (
        (DESKTOP, ".game button", 10),
        (PHONE, ".game", 5),
        ((320, 700), ".game h2", 1),
    ):
        visit(browser, server.url, size, scheme)
        browser.wait(lambda: len(browser.all(".game")) == 5)
        assert browser.driver.execute_script(SHOWN, selector) >= count
        assert not scrolls_sideways(browser) and faults(browser) == []


def test_one_click_plays_the_computer(server: PageServer, browser: Browser) -> None:
    visit(browser, server.url)
    browser.click_on("[aria-label='Play the computer: Reversi']")
    browser.wait_for_view("table")
    browser.wait_for_text("state", YOUR_TURN)
    assert browser.text("user").startswith("guest-")
    assert "Pip" in browser.text("above")
    assert browser.complaints() == []
    browser.resign()
    browser.wait_for_text("end-title", "You lost")


def test_where_guests_play_alone_the_other_button_leads_to_a_login(
    server: PageServer, browser: Browser
) -> None:
    visit(browser, server.url)
    browser.click_on("[aria-label='Play a person: Nim']")
    browser.wait_for_view("sign-in")
    assert browser.text("login-error") == "Log in to play with others."


def test_the_form_begins_with_the_game_of_a_tile(open_server: PageServer, browser: Browser) -> None:
    visit(browser, open_server.url)
    browser.click_on("[aria-label='Play a person: Connect Four']")
    browser.wait(lambda: browser.all("#seeking .seeking"))
    browser.click_on(".seeking .row button:last-child")
    browser.wait_for_view("lobby")
    chosen = "return document.querySelector('#open [name=game]:checked').value"
    assert browser.driver.execute_script(chosen) == "connectfour"
    browser.driver.refresh()
    browser.wait_for_view("lobby")
    browser.wait(lambda: browser.driver.execute_script(chosen) == "connectfour")


def test_two_strangers_meet(
    open_server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    alice, bob = browse(2)
    for browser in (alice, bob):
        visit(browser, open_server.url)
        browser.click_on("[aria-label='Play a person: Connect Four']")
        browser.wait_for_view("table")
    alice.wait_for_text("state", YOUR_TURN)
    bob.resign()
    alice.wait_for_text("end-title", "You won")
    assert alice.text("keep") == "Create an account to keep your results."
    alice.click("keep-it")
    alice.wait_for_view("sign-in")
    assert alice.focused == "register-user"


def test_a_private_link_says_who_invites_and_seats_in_a_click(
    open_server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    mira, friend = browse(2)
    mira.open(open_server.url)
    mira.register("mira")
    mira.open_table("reversi", "friend", "burrow")
    link = mira.find("invitation").get_attribute("value") or ""
    visit(friend, link, PHONE, "dark")
    friend.wait_for_text("invited-title", "mira invites you to Reversi")
    assert friend.driver.title.startswith("mira invites you to Reversi")
    assert friend.text("invited-facts").split("\n") == [
        "No clock",
        "You play white",
        "Just for fun",
    ]
    fields = friend.all("input[type=password]")
    assert not any(field.is_displayed() for field in fields)
    assert faults(friend) == [] and not scrolls_sideways(friend)
    friend.click("invited-play")
    friend.wait_for_text("state", "mira to move")
    mira.wait_for_text("state", YOUR_TURN)
    assert friend.complaints() == mira.complaints() == []
    mira.resign()


SHARES = """
const share = async (what) => { window.shared = what; };
Object.defineProperty(navigator, "share", { value: share });
"""


@pytest.mark.parametrize("size", [PHONE, (320, 568)])
def test_the_device_sends_the_link_where_it_can(
    open_server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    browser.open(open_server.url, size, script=SHARES)
    browser.register(f"sender-{size[0]}")
    browser.open_table("reversi", "friend")
    link = browser.find("invitation").get_attribute("value") or ""
    assert "/room/" in link and browser.shown("share", "copy", "invitation") == ["share", "copy"]
    assert [each.get_attribute("id") for each in browser.all("#invite .main")] == ["share"]
    browser.click("share")
    assert browser.driver.execute_script("return window.shared") == {"url": link}
    assert browser.complaints() == [] and not scrolls_sideways(browser)
    browser.click("leave")


def test_an_invitation_to_a_game_of_six_is_no_duel(
    open_server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    host, friend = browse(2)
    host.open(open_server.url)
    host.register("host-of-six")
    host.pick("game", "clue")
    host.click("way-friend")
    host.driver.execute_script("document.getElementById('open-more').open = true")
    Select(host.find("option-seats")).select_by_value("6")
    host.click("open-go")
    host.wait_for_view("table")
    assert "The first person to open it plays with you." in host.text("invite")
    link = host.find("invitation").get_attribute("value") or ""
    visit(friend, link, PHONE)
    friend.wait_for_text("invited-play", "Play with host-of-six")
    assert friend.complaints() == host.complaints() == []


def test_the_boards_of_the_front_page_follow_the_match(
    open_server: PageServer, browser: Browser
) -> None:
    alice, bob = (open_server.terminal(name) for name in ("alice-fb", "bob-fb"))
    try:
        alice.ask("CREATE:den fb", "CREATE:ACKSTATUS:0")
        bob.ask("JOIN:den fb:PLAYER", "JOIN:ACKSTATUS:0")
        visit(browser, open_server.url)
        board = "#front-rooms a[href='/room/den%20fb'] .mini"
        browser.wait(lambda: browser.all(board) and not browser.all(f"{board} .pen"))
        alice.expect("BEGIN:alice-fb:bob-fb")
        alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        browser.wait(lambda: len(browser.all(f"{board} .pen.x")) == 1)
        assert browser.complaints() == []
    finally:
        for each in (alice, bob):
            each.close()


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_what_is_played_can_be_watched_from_anywhere(
    open_server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    alice, bob = (open_server.terminal(f"{name}-{scheme}") for name in ("alice", "bob"))
    try:
        visit(browser, open_server.url, size, scheme)
        browser.click_on("#ways a[href='/watch']")
        browser.wait_for_text("watch", "No one is playing right now")
        alice.ask(f"CREATE:den {scheme}", "CREATE:ACKSTATUS:0")
        bob.ask(f"JOIN:den {scheme}:PLAYER", "JOIN:ACKSTATUS:0")
        alice.expect(f"BEGIN:alice-{scheme}:bob-{scheme}")
        browser.wait(lambda: len(browser.all("#watch-rooms .mini")) == 1)
        alice.ask("PLACE:1:1", "BOARDSTATUS:000010000")
        browser.wait(lambda: len(browser.all("#watch-rooms .pen.x")) == 1)
        assert faults(browser) == [] and not scrolls_sideways(browser)
        browser.click_on("#watch-rooms a")
        browser.click("invited-watch")
        browser.wait_for_board("....X....")
        assert not browser.shows("ways") or size == DESKTOP
        assert browser.complaints() == []
    finally:
        for each in (alice, bob):
            each.close()


def test_you_are_in_the_bar_of_a_phone(open_server: PageServer, browser: Browser) -> None:
    visit(browser, open_server.url, PHONE)
    assert browser.text("ways").split("\n") == ["Play", "Watch", "Tournaments", "You"]
    browser.click("you")
    browser.wait_for_view("sign-in")
    browser.click("as-guest")
    browser.wait_for_view("lobby")
    browser.click("you")
    browser.wait(lambda: browser.shows("to-log-in"))
    assert browser.texts("#menu > *")[0] == "Log in or create an account"
    assert not browser.shows("log-out")
    menu, way = browser.find("menu").rect, browser.find("you").rect
    assert 0 <= way["y"] - menu["y"] - menu["height"] < 20  # above what opened it
    browser.click("to-log-in")
    browser.wait_for_view("sign-in")
    browser.register("yours")
    browser.click("you")
    browser.wait(lambda: browser.all("#player-title") and browser.text("player-title") == "yours")
    assert browser.find("you").get_attribute("aria-current") == "page"


def test_the_list_of_who_is_online_calls_a_guest_as_the_language_does(
    open_server: PageServer, browse: Callable[[int], list[Browser]]
) -> None:
    guest, alice = browse(2)
    guest.open(open_server.url)
    guest.click("as-guest")
    guest.wait_for_view("lobby")
    number = guest.text("user").removeprefix("guest-")
    visit(alice, open_server.url)
    Select(alice.all(".tongue .languages")[0]).select_by_value("de")
    alice.wait(lambda: alice.all("html[lang=de]"))
    alice.click("to-sign-in")
    alice.wait_for_view("sign-in")
    alice.register("alice-de")
    alice.wait(lambda: f"Gast {number}" in alice.texts(".people-list bdi"))


def test_a_guest_who_would_lose_the_match_at_the_login_is_asked(
    open_server: PageServer, browser: Browser
) -> None:
    browser.open(open_server.url)
    browser.click("as-guest")
    browser.open_table("tictactoe", "beginner")
    browser.menu("to-log-in")
    browser.wait_for_text("ask-text", "If you log in now, you lose the match.")
    browser.click("ask-no")
    browser.menu("to-log-in")
    browser.click("ask-yes")
    browser.wait_for_view("sign-in")
    assert not browser.shows("who") and browser.complaints() == []


@pytest.mark.parametrize("path", ["room/burrow/guessed", "room/nowhere"])
def test_a_link_to_nothing_says_so(open_server: PageServer, browser: Browser, path: str) -> None:
    visit(browser, open_server.url + path)
    browser.wait_for_text("invited-title", "This room is closed")
    browser.complaints()  # 404
    browser.click_on("#invited-home.main:not(.quiet)")
    browser.wait_for_view("front")


def test_an_invitation_shows_the_picture_of_the_game(server: PageServer, browser: Browser) -> None:
    browser.open(f"{server.url}room/heaps", to_log_in=False, script=INVITED)
    browser.wait_for_text("invited-title", "bob invites you to Nim")
    browser.wait(lambda: browser.all("#invited-picture img"))


@pytest.mark.parametrize(
    ("path", "shown"), [("signin", "login"), ("signup", "register"), ("profile", "settings")]
)
def test_what_people_type_is_understood(
    server: PageServer, browser: Browser, path: str, shown: str
) -> None:
    visit(browser, server.url + path)
    browser.wait(lambda: browser.shows(shown))
    user = f"types-{shown}"
    if shown == "settings":
        browser.wait_for_view("front")
        return
    if shown == "login":
        browser.click("to-register")
    browser.type("register-user", user)
    browser.type("register-password", "secret")
    browser.click_on("#register button.main")
    browser.wait_for_view("lobby")


def test_an_invitation_fits_a_phone(open_server: PageServer, browser: Browser) -> None:
    alice = open_server.terminal("alice-fits")
    alice.ask("CREATE:fits", "CREATE:ACKSTATUS:0")
    visit(browser, f"{open_server.url}room/fits", PHONE)
    browser.wait_for_text("invited-title", "alice-fits")
    script = "const e = document.documentElement; return e.scrollHeight - e.clientHeight"
    assert browser.driver.execute_script(script) == 0
    alice.close()


@pytest.mark.parametrize("size", [(320, 568), (360, 640), (375, 667), (844, 390), DESKTOP])
def test_the_button_of_an_invitation_is_in_sight(
    server: PageServer, browser: Browser, size: tuple[int, int]
) -> None:
    """The worst case: the longest name of a guest, and the longest rule."""
    told = "about.guests = true; about.owner = 'guest-1000'; about.goal = 'Drop discs. '.repeat(7);"
    browser.open(f"{server.url}room/heaps", size, to_log_in=False, script=INVITED + told)
    browser.wait_for_text("invited-play", "Play with guest-1000")
    assert browser.driver.execute_script(SHOWN, "#invited-play") == 1
    assert browser.text("invited-goal") and not scrolls_sideways(browser)


def test_who_has_an_account_comes_to_the_room_after_the_login(
    server: PageServer, browser: Browser, terminal: Callable[[str], Terminal]
) -> None:
    carol = terminal("carol-f")
    carol.ask("CREATE:den f", "CREATE:ACKSTATUS:0")
    visit(browser, f"{server.url}room/den%20f")
    browser.wait_for_text("invited-hint", "Log in to take the seat.")
    browser.click("invited-play")
    browser.wait_for_view("sign-in")
    browser.click("to-register")
    browser.type("register-user", "alice-f")
    browser.type("register-password", "secret")
    browser.click_on("#register button.main")
    browser.wait_for_text("state", "carol-f to move")


@pytest.mark.parametrize("path", ["nothing", "constructor", "%ff"])
def test_a_path_to_no_page_says_so(open_server: PageServer, browser: Browser, path: str) -> None:
    visit(browser, open_server.url)
    browser.driver.get(open_server.url + path)
    browser.wait_for_text("nowhere-title", "There is no page here")
    browser.wait_for_focus("nowhere-title")
    assert faults(browser) == [] and not scrolls_sideways(browser)
    assert all("404" in complaint for complaint in browser.complaints())
    browser.click_on("#nowhere a.main")
    browser.wait_for_view("front")
    assert not browser.shows("nowhere")
