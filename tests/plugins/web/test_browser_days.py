"""Matches over days on the page: choosing them, your games, notices, without a connection."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.support.ui import Select

from tests.plugins.web import browser as browsers
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.plugins.web.fake import answer, asked, begin, enter, run, tell
from tests.plugins.web.scripts import go

DAY = 86_400

SAVED = "Saved. You can close this page."


def entry(room: str, **more: object) -> dict[str, Any]:
    """Return one of alice's games, in which it is her turn."""
    return {
        "room": room, "game": "tictactoe", "title": "Tic-tac-toe", "options": {"columns": 3},
        "clock": {"days": 3}, "players": ["alice", "bob"], "here": [], "seat": 0, "begun": True,
        "turn": 0, "left": 2 * DAY + 4 * 3600 + 5, "n": 9, "moves": 2, "position": "102000000",
        "last": {"seat": 1, "move": "0:2", "at": "2026-11-20T10:00:00Z"}, "unread": 0,
        "offer": None, **more,
    }  # fmt: skip


def enter_with(browser: Browser, server: PageServer, *mine: dict[str, Any], **more: Any) -> None:
    """Come back as alice, who has these games."""
    told = json.dumps({"mine": {"mine": mine}})
    count = json.dumps({"games": len(mine), "turns": len(mine)})
    script = f"Object.assign(answers, {told}); answers.login.mine = {count};"
    enter(browser, server, script=script + more.pop("script", ""), **more)


# Choosing days


def test_a_room_over_days_is_opened(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.click("way-friend")
    browser.pick("time", "7d")
    browser.click("open-go")
    assert asked(browser, "open")[-1]["clock"] == {"days": 7}
    label = "return document.querySelector('[name=time][value=\"7d\"]').ariaLabel"
    assert run(browser, label) == "7 days per move"


def test_minutes_take_the_place_of_days(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.click("way-friend")
    browser.pick("time", "7d")
    browser.pick("time", "300+3")
    browser.click("open-go")
    assert asked(browser, "open")[-1]["clock"] == {"initial": 300, "increment": 3}


def test_a_seek_over_days(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.click("way-anybody")
    browser.pick("time", "2d")
    browser.click("open-go")
    assert asked(browser, "seek")[-1]["clock"] == {"days": 2}


def test_a_computer_takes_no_days(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    browser.click("way-anybody")
    browser.pick("time", "2d")
    browser.click("way-computer")
    browser.click("open-go")
    assert "clock" not in asked(browser, "open")[-1]


def test_a_tournament_over_days_asks_for_no_minutes(server: PageServer, browser: Browser) -> None:
    enter(browser, server)
    go(browser, "/tournaments")
    answer(browser, "tournaments", tournaments=[], rights="all")
    browser.click("cup-new")
    browser.type("cup-name", "League")
    browser.click_on("label:has(#cup-system-round-robin)")
    quick = Select(browser.find("cup-quick"))
    quick.select_by_value("")
    assert browser.shows("cup-clock")
    quick.select_by_value("3d")
    assert not browser.shows("cup-clock")
    browser.click_on("#cup-form button.main")
    plan = browser.wait(lambda: asked(browser, "admin"))[-1]["plan"]
    assert (plan["system"], plan["clock"]) == ("round-robin", {"days": 3})


# Your games


def test_games_are_listed_with_the_own_turn_and_the_least_time_first(
    server: PageServer, browser: Browser
) -> None:
    mine = (
        entry("den"), entry("attic", left=50 * 60 + 5, unread=2),
        entry("cellar", turn=1, offer={"seat": 1, "what": "draw"}),
        entry("hut", begun=False, turn=None, left=None, players=["alice", None], last=None),
    )  # fmt: skip
    enter_with(browser, server, *mine)
    browser.wait_for_text("mine-count", "2")
    assert run(browser, "return document.title").startswith("(2) ")
    browser.click("to-mine")
    browser.wait(lambda: len(browser.all("#mine-yours li")) == 2)
    assert browser.text("mine-title") == "Your games"
    lefts = "document.querySelectorAll('#mine-yours .left')"
    texts = run(browser, f"return [...{lefts}].map((each) => each.textContent)")
    assert texts == ["Time left: 50 min", "Time left: 2 days 4 h"]
    assert "2 messages" in browser.text("mine-yours")
    assert "an offer" in browser.text("mine-theirs")
    assert len(browser.all("#mine-open li")) == 1
    links = browser.all("#mine-yours .button")
    assert [(link.get_attribute("href") or "")[-5:] for link in links] == ["attic", "m/den"]
    assert browser.complaints() == []


def test_a_game_that_has_changed_changes_its_place_and_the_number(
    server: PageServer, browser: Browser
) -> None:
    enter_with(browser, server, entry("den"), entry("attic", turn=1))
    browser.wait_for_text("mine-count", "1")
    tell(browser, "mine", **entry("attic", n=10))
    browser.wait_for_text("mine-count", "2")
    for room in ("den", "attic"):
        tell(browser, "mine", **entry(room, n=11, turn=1))
    browser.wait(lambda: not browser.shows("mine-count"))
    assert not run(browser, "return document.title").startswith("(")


def test_the_app_says_how_many_games_wait(server: PageServer, browser: Browser) -> None:
    script = """
    window.badges = [];
    navigator.setAppBadge = async (count) => badges.push(count);
    navigator.clearAppBadge = async () => badges.push(0);
    """
    enter_with(browser, server, entry("den"), script=script)
    browser.wait(lambda: run(browser, "return badges.at(-1)") == 1)
    tell(browser, "mine", room="den", gone=True)
    browser.wait(lambda: run(browser, "return badges.at(-1)") == 0)


def test_who_logs_out_leaves_no_games_on_the_device(server: PageServer, browser: Browser) -> None:
    enter_with(browser, server, entry("den"))
    browser.wait_for_text("mine-count", "1")
    run(browser, "localStorage.setItem('tictac', JSON.stringify({ user: 'alice', token: 'x' }))")
    tell(browser, "mine", **entry("den", n=10))
    assert run(browser, "return 'tictac.mine' in localStorage")
    browser.menu("log-out")
    answer(browser, "logout")
    browser.wait(lambda: not browser.shows("to-mine"))
    assert not run(browser, "return 'tictac.mine' in localStorage")


@pytest.mark.parametrize(
    ("scheme", "size"), [("light", DESKTOP), ("dark", PHONE), ("light", (320, 640))]
)
def test_the_views_have_no_serious_fault_and_fit(
    server: PageServer, browser: Browser, scheme: str, size: tuple[int, int]
) -> None:
    enter_with(browser, server, entry("den"), entry("hut", turn=1), scheme=scheme, size=size)
    browser.wait_for_text("away", "Tic-tac-toe against bob: your turn.")
    found = {"the bar": faults(browser)}
    go(browser, "/mine")
    browser.wait(lambda: browser.all("#mine-yours li"))
    found["your games"] = faults(browser)
    assert not scrolls_sideways(browser)
    go(browser, "/notices")
    answer(browser, "notices", **STATE)
    browser.wait(lambda: browser.all("#notices-email"))
    found["notices"] = faults(browser)
    assert not scrolls_sideways(browser)
    begin(browser, "tictactoe", room="hut", clock={"days": 3}, clocks=[3 * DAY, 3 * DAY],
          turn=1, position="100000000", record=[[2, "moved", 0, "0:0"]])  # fmt: skip
    browser.wait(lambda: browser.shows("next"))
    found["the table"] = faults(browser)
    assert not scrolls_sideways(browser)
    assert not any(found.values()), found


# The bar


def test_the_bar_leads_to_the_game_with_the_least_time(
    server: PageServer, browser: Browser
) -> None:
    enter_with(browser, server, entry("den"), entry("attic", left=3600.0, title="Nim"))
    browser.wait_for_text("away", "2 games wait for your move.")
    assert browser.text("away-back") == "Next game"
    browser.click("away-back")
    assert browser.wait(lambda: asked(browser, "join"))[-1]["room"] == "attic"


def test_a_bar_that_was_put_away_comes_with_the_next_turn(
    server: PageServer, browser: Browser
) -> None:
    enter_with(browser, server, entry("den"), entry("attic", turn=1))
    browser.wait(lambda: browser.shows("away"))
    browser.click("away-close")
    browser.wait(lambda: not browser.shows("away"))
    tell(browser, "mine", **entry("attic", n=10))
    browser.wait_for_text("away", "Tic-tac-toe against bob: your turn.")


def test_an_end_without_the_player_is_told(server: PageServer, browser: Browser) -> None:
    enter_with(browser, server, entry("den", turn=1))
    browser.wait(lambda: browser.shows("to-mine"))
    tell(browser, "mine", gone=True, how="timed out", winner=0, result=[1, 0], match="m1")
    browser.wait_for_text("away", "You won.")
    assert browser.text("away-back") == "See the result"


# The table


def show(browser: Browser, **more: Any) -> None:
    """Show alice's match in the hut over three days, in which bob is to move."""
    shown: dict[str, Any] = {
        "clock": {"days": 3}, "clocks": [3 * DAY, 2 * DAY + 4 * 3600 + 5], "turn": 1,
        "position": "100000000", "record": [[2, "moved", 0, "0:0"]], "room": "hut",
    } | more  # fmt: skip
    begin(browser, "tictactoe", **shown)


def test_a_clock_over_days_is_in_words(server: PageServer, browser: Browser) -> None:
    enter_with(browser, server, entry("hut", turn=1))
    show(browser)
    assert browser.texts(".clock") == ["2 days 4 h", "3 days 0 h"]
    show(browser, room="den", clocks=[50 * 60 + 5, 59], turn=0)
    assert browser.texts(".clock") == ["0:59", "50 min"]


def test_a_player_who_isnt_there_isnt_away(server: PageServer, browser: Browser) -> None:
    enter_with(browser, server, entry("hut", turn=1))
    players = [{"user": "alice", "away": False}, {"user": "bob", "away": True}]
    show(browser, players=players)
    tell(browser, "left", room="hut", n=4, user="bob", seat=1, held=None)
    assert browser.text("state") == "bob to move" and "disconnected" not in browser.text("above")


def test_after_a_move_one_may_close_the_page_or_go_to_the_next_game(
    server: PageServer, browser: Browser
) -> None:
    enter_with(browser, server, entry("hut"), entry("den"), entry("attic", left=60.0))
    show(browser, turn=0, moves=["1:1"])
    browser.wait(lambda: not browser.shows("next"))
    show(browser)
    browser.wait_for_text("saved", SAVED)
    assert browser.text("next") == "Next game (2)"
    browser.click("next")
    assert browser.wait(lambda: asked(browser, "join"))[-1]["room"] == "attic"
    assert asked(browser, "leave")[-1]["for_good"] is False


def test_leaving_a_match_over_days_asks_nothing_and_keeps_the_seat(
    server: PageServer, browser: Browser
) -> None:
    enter_with(browser, server, entry("hut", turn=1))
    show(browser)
    browser.click("leave")
    browser.wait_for_view("lobby")
    assert asked(browser, "leave")[-1]["for_good"] is False
    assert run(browser, "return JSON.parse(sessionStorage.tictac).table ?? null") is None


def test_a_room_over_days_that_waits_is_closed_by_its_button_alone(
    server: PageServer, browser: Browser
) -> None:
    enter_with(browser, server, entry("hut", begun=False))
    waits = {"begun": False, "players": [{"user": "alice", "away": False}, None], "record": []}
    show(browser, **waits)
    browser.wait_for_text("saved", "the game begins without you")
    go(browser, "/")
    browser.wait_for_view("lobby")
    assert asked(browser, "leave")[-1]["for_good"] is False
    show(browser, **waits)
    browser.click("leave")
    browser.wait_for_view("lobby")
    assert asked(browser, "leave")[-1]["for_good"] is True


def test_who_hides_the_page_for_long_leaves_the_room_and_comes_back(
    server: PageServer, browser: Browser
) -> None:
    enter_with(browser, server, entry("hut", turn=1))
    show(browser)
    browser.wait_for_text("saved", SAVED)
    hide = """
    Object.defineProperty(document, "hidden", { value: arguments[0], configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    const now = Date.now();
    Date.now = () => now + (arguments[0] ? 301_000 : 0);
    pass(1);
    """
    run(browser, hide, True)
    assert [each.get("for_good") for each in asked(browser, "leave")] == [None]
    run(browser, hide, False)
    assert asked(browser, "join")[-1]["room"] == "hut"


def test_a_live_match_continues_over_days_by_agreement(
    server: PageServer, browser: Browser
) -> None:
    enter(browser, server)
    begin(browser, "tictactoe", clocks=[60, 60], position="000000000")
    browser.click("later")
    request = asked(browser, "offer")[-1]
    assert (request["what"], request["days"]) == ("days", 3)
    tell(browser, "offered", n=4, seat=0, what="days", days=3)
    assert "You offered to continue over days: 3 for each move." in browser.text("state")
    tell(browser, "retimed", n=5, seat=1, clock={"days": 3}, clocks=[3 * DAY, 3 * DAY])
    assert all(text.startswith(("3 days", "2 days 23 h")) for text in browser.texts(".clock"))
    browser.wait(lambda: not browser.shows("later"))
    browser.click("leave")
    browser.wait_for_view("lobby")
    assert asked(browser, "leave")[-1]["for_good"] is False


@pytest.mark.parametrize("other", ["guest-4", "computer"])
def test_only_accounts_continue_over_days(server: PageServer, browser: Browser, other: str) -> None:
    enter(browser, server)
    players = [{"user": user, "away": False} for user in ("alice", other)]
    begin(browser, "tictactoe", clocks=[60, 60], position="000000000", players=players)
    assert browser.shows("offer") and not browser.shows("later")


# Notices

STATE: dict[str, Any] = {
    "contacts": [
        {"channel": "email", "address": "a@home.example", "wish": "daily", "confirmed": False},
        {"channel": "webhook", "address": "https://hooks.example/x", "wish": "each",
         "confirmed": True, "failed": "410 Gone"},
    ],
    "settings": {"language": "en", "zone": "UTC", "quiet": None},
    "channels": {"email": {}, "push": {"key": "BL3V"}, "webhook": {}},
}  # fmt: skip


def open_notices(browser: Browser, server: PageServer, script: str = "", **more: Any) -> None:
    """Come back as alice, and open her notices."""
    enter_with(browser, server, script=script)
    go(browser, "/notices")
    answer(browser, "notices", **STATE | more)
    browser.wait(lambda: browser.all("#notices h2"))


def test_an_address_is_added_with_language_and_time_zone(
    server: PageServer, browser: Browser
) -> None:
    open_notices(browser, server)
    text = browser.text("notices")
    assert "a@home.example (not confirmed yet)" in text and "(stopped: 410 Gone)" in text
    browser.type("notices-email", "alice@home.example")
    browser.click_on("form:has(#notices-email) button")
    request = browser.wait(lambda: asked(browser, "notices")[1:])[-1]
    assert request["channel"] == "email" and request["address"] == "alice@home.example"
    assert request["language"] == "en" and request["zone"]
    answer(browser, "notices", **STATE)
    browser.wait_for_text("notices", "open the link in the mail")


def test_a_wish_is_changed(server: PageServer, browser: Browser) -> None:
    open_notices(browser, server)
    script = "const [select] = document.querySelectorAll('.contact select'); select.value = 'off'; "
    run(browser, script + "select.dispatchEvent(new Event('change'))")
    request = browser.wait(lambda: asked(browser, "notices")[1:])[-1]
    assert (request["address"], request["wish"]) == ("a@home.example", "off")


def test_quiet_hours(server: PageServer, browser: Browser) -> None:
    open_notices(browser, server)
    browser.click("notices-quiet")
    request = browser.wait(lambda: asked(browser, "notices")[1:])[-1]
    assert request["quiet"] == "22:00-07:00" and request["zone"]
    quiet = {"settings": {"language": "en", "zone": "Europe/Berlin", "quiet": "23:00-06:00"}}
    answer(browser, "notices", **STATE | quiet)
    browser.wait_for_text("notices", "Time zone: Europe/Berlin")
    browser.click("notices-quiet")
    assert browser.wait(lambda: asked(browser, "notices")[2:])[-1]["quiet"] == "off"


def test_a_server_without_notices_says_so(server: PageServer, browser: Browser) -> None:
    enter_with(browser, server)
    go(browser, "/notices")
    answer(browser, "notices", **STATE | {"channels": {}, "contacts": []})
    browser.wait_for_text("notices", "This server sends no notices.")
    assert not any(form.is_displayed() for form in browser.all("#notices form"))


ASKS = """
window.questions = 0;
Object.defineProperty(Notification, "permission", { get: () => "default" });
Notification.requestPermission = async () => { questions++; return "denied"; };
"""


def test_the_browser_asks_for_permission_after_a_click_alone(
    server: PageServer, browser: Browser
) -> None:
    open_notices(browser, server, ASKS)
    assert run(browser, "return questions") == 0
    browser.click("notices-push")
    browser.wait_for_text("notices", "Your browser blocks notices from this page.")
    assert run(browser, "return questions") == 1 and len(asked(browser, "notices")) == 1


def test_an_iphone_needs_the_page_on_its_home_screen(server: PageServer, browser: Browser) -> None:
    open_notices(browser, server, "delete window.PushManager; navigator.standalone = false;")
    assert "add this page to your home screen" in browser.text("notices")


def test_one_is_asked_once_after_a_move(server: PageServer, browser: Browser) -> None:
    """Acceptance 14: never before the first move. What comes after it is the test above."""
    enter_with(browser, server, entry("hut", turn=1), script=ASKS)
    show(browser, room="attic", record=[], position="000000000")
    browser.wait(lambda: browser.all("#ask-card"))
    assert not browser.shows("ask-card") and not asked(browser, "notices")
    show(browser)
    answer(browser, "notices", **STATE | {"contacts": []})
    browser.wait_for_text("ask-card", "Get a notice when bob has moved?")
    browser.click_on("#ask-card button.quiet")
    assert not browser.shows("ask-card")
    show(browser, room="den")
    browser.wait_for_text("saved", SAVED)
    assert not browser.shows("ask-card") and run(browser, "return questions") == 0
    assert json.loads(run(browser, "return localStorage['tictac.settings']"))["asked"][:2] == "1:"


@pytest.mark.parametrize("does", ["confirm", "stop"])
def test_a_link_of_a_mail_does_nothing_before_a_click(
    server: PageServer, browser: Browser, does: str
) -> None:
    enter(browser, server)
    go(browser, f"/notice/{does}/k3Y")
    told = {"does": does, "user": "alice", "channel": "email"}
    assert "go" not in answer(browser, "link", **told, done=False)
    browser.wait(lambda: browser.shows("notice-go"))
    browser.click("notice-go")
    request = browser.wait(lambda: asked(browser, "link")[1:])[-1]
    assert (request["link"], request["go"]) == (f"{does}/k3Y", True)
    answer(browser, "link", **told, done=True)
    browser.wait_for_text("notice", "Done.")
    assert not browser.shows("notice-go")


# With a server


@pytest.fixture
def lasting(tmp_path: Path) -> Iterator[PageServer]:
    """Yield a server that keeps rooms in a file."""
    options = "--database", str(tmp_path / "tictac.db"), "--journal", "sqlite"
    with PageServer(tmp_path, *options) as running:
        yield running


def test_a_match_over_days_on_a_real_server_and_without_a_connection(
    lasting: PageServer, browse: Any
) -> None:
    alice, bob = browse(2)
    for browser, user in ((alice, "alice"), (bob, "bob")):
        browser.open(lasting.url)
        browser.register(user)
    alice.click("way-friend")
    alice.pick("time", "3d")
    alice.click("open-go")
    alice.wait_for_view("table")
    link = alice.find("invitation").get_attribute("value")
    go(alice, "/")
    alice.wait_for_view("lobby")
    bob.driver.get(link)
    bob.wait_for_text("state", "alice to move")
    alice.wait_for_text("away", "Tic-tac-toe against bob: your turn.")
    alice.click("away-back")
    alice.play("1:1")
    alice.wait_for_text("saved", SAVED)
    go(alice, "/mine")
    alice.wait(lambda: alice.all("#mine-theirs li"))
    # A new start shows it from the browser's own store, until the server is there again.
    alice.driver.execute_script("return navigator.serviceWorker.ready.then(() => true)")
    lasting.stop()
    alice.driver.get(lasting.url)
    alice.wait_for_text("mine", "There's no connection. This is how your games stood on")
    assert alice.driver.execute_script("return location.pathname") == "/mine"
    assert len(alice.all("#mine-theirs li")) == 1
    lasting.start()
    # It may have tried by itself already, and have hidden the button.
    alice.driver.execute_script("document.getElementById('try-now').click()")
    alice.wait(lambda: "no connection" not in alice.text("mine"))


PUSH = {"title": "Your turn: Nim", "body": "against bob", "path": "/room/hut", "tag": "hut",
        "kind": "turn", "turns": 2, "language": "en"}  # fmt: skip

SHOWN_NOTICES = """
return navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then(
  (all) => all.map(({ title, body, tag, data }) => [title, body, tag, data]));
"""


def test_a_push_is_shown_and_a_later_one_takes_its_place(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsers, "CHROMIUM", shutil.which("chromium"))
    if browsers.CHROMIUM is None or browsers.DRIVER is None:
        pytest.skip("needs a chromium with windows: the one without shows no notices")
    browser, origin = Browser(), server.url.rstrip("/")
    try:
        browser.open(server.url)
        run(browser, "return navigator.serviceWorker.ready.then(() => true)")
        granted = {"origin": origin, "permissions": ["notifications"]}
        browser.driver.execute_cdp_cmd("Browser.grantPermissions", granted)
        browser.driver.execute_cdp_cmd("ServiceWorker.enable", {})
        for body in ("against bob", "against bob, 5 hours left"):
            # The first worker of a new browser has the number 0.
            data = json.dumps(PUSH | {"body": body})
            push = {"origin": origin, "registrationId": "0", "data": data}
            shown = [[PUSH["title"], body, "hut", "/room/hut"]]

            def is_shown(push: dict[str, str] = push, shown: list[Any] = shown) -> bool:
                # One is lost while the worker starts; the same once more changes nothing.
                browser.driver.execute_cdp_cmd("ServiceWorker.deliverPushMessage", push)
                return bool(run(browser, SHOWN_NOTICES) == shown)

            browser.wait(is_shown)
    finally:
        browser.quit()
