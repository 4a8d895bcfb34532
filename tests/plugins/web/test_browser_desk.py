"""The desk of a teacher in a browser, with two pupils; slips, and a terminal that gets a code."""

from __future__ import annotations

import re
import subprocess
from base64 import b64decode
from collections.abc import Callable, Iterator
from string import ascii_lowercase

import pytest

from tests.documents import BIN
from tests.plugins.web.axe import faults
from tests.plugins.web.browser import DESKTOP, PHONE, Browser, PageServer, scrolls_sideways
from tests.terminal.processes import PATIENCE

MOVED = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifts += each.value;
}).observe({ type: "layout-shift", buffered: true });
"""

PRINTED = """
// What paper has besides the slips, and the slips that a page could cut, or that are too large.
const all = (selector) => [...document.querySelectorAll(selector)];
const isWhole = (slip) => getComputedStyle(slip).breakInside === "avoid"
  && slip.scrollWidth <= slip.clientWidth && slip.scrollHeight <= slip.clientHeight;
return [
  ...all("body :is(button, .button, header, nav, footer, h1)"),
  ...all(".slip").filter((slip) => !isWhole(slip)),
].filter((each) => each.checkVisibility()).map((each) => each.outerHTML.slice(0, 100));
"""


class ClassServer(PageServer):
    """A server whose operator makes teachers."""

    def run(self, *words: str) -> str:
        """Run a command of `tictac`; return its output."""
        command = [f"{BIN}/tictac", *words]
        done = subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)
        return done.stdout.decode()

    def admin(self, *words: str) -> str:
        """Run a command of `tictac admin desk`; return its output."""
        return self.run("admin", "-s", f"{self.folder}/sock", "desk", *words)


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClassServer]:
    """Yield a server where berger teaches 7b, with anna and ben, and carl who never came."""
    folder = tmp_path_factory.mktemp("school")
    options = ["--admin-socket", str(folder / "sock"), "--tournaments", "accounts"]
    with ClassServer(folder, *options) as running:
        for name in ("berger", "anna", "ben"):
            running.terminal(name).close()
        for name in ("anna", "ben"):
            running.run("users", "-d", f"{folder}/users.db", "group", name, "7b")
        running.admin("teacher", "7b", "berger")
        running.admin("add", "7b", "carl")
        yield running


def come(
    browser: Browser,
    server: ClassServer,
    user: str,
    size: tuple[int, int] = DESKTOP,
    scheme: str = "light",
) -> None:
    browser.open(server.url, size, scheme)
    browser.log_in(user)
    # An account whose match of an earlier test has ended comes to its home.
    browser.wait(lambda: browser.shown("lobby", "home"))


def go(browser: Browser, server: ClassServer, path: str, selector: str) -> None:
    browser.driver.get(server.url + path)
    browser.wait(lambda: any(each.is_displayed() for each in browser.all(selector)), selector)


def test_a_teacher_pairs_two_who_wait_and_sees_them_play(
    school: ClassServer, browse: Callable[[int], list[Browser]]
) -> None:
    teacher, anna, ben = browse(3)
    come(anna, school, "anna")
    come(ben, school, "ben")
    come(teacher, school, "berger")
    teacher.wait(lambda: teacher.all("#to-desk"))
    go(teacher, school, "desk/7b", "#desk tbody tr")
    teacher.wait(lambda: "2 pupils wait" in teacher.text("desk-wait"))
    assert teacher.texts("#desk th bdi") == ["anna", "ben", "carl"]
    teacher.type("desk-find", "AR")
    assert teacher.texts("#desk th bdi") == ["carl"]
    teacher.type("desk-find", "xyz")
    teacher.wait(lambda: "No pupil has such a name." in teacher.text("desk"))
    teacher.type("desk-find", "")
    assert len(teacher.texts("#desk th bdi")) == 3
    teacher.click("desk-pair")
    anna.wait_for_view("table")
    ben.wait_for_view("table")
    teacher.wait(lambda: "plays Tic-tac-toe with ben" in teacher.text("desk"))
    teacher.wait(lambda: "1 match has begun." in teacher.text("desk-note"))
    anna.resign()  # or both would come back to their seats in the next tests
    ben.wait_for_text("state", "You won. anna resigned.")


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_no_view_of_the_desk_has_a_fault(
    school: ClassServer, browser: Browser, size: tuple[int, int], scheme: str
) -> None:
    come(browser, school, "berger", size, scheme)
    found = {}
    views = {"desk": "#desk-groups li", "desk/7b": "#desk tbody tr", "desk/7b/slips": "#slips",
             "code": "#code-own"}  # fmt: skip
    for path, selector in views.items():
        go(browser, school, path, selector)
        found[path] = faults(browser)
        assert not scrolls_sideways(browser), path
    go(browser, school, "desk/7b", "#desk tbody tr")
    for button in ("desk-add", "desk-new-rule"):
        browser.driver.execute_script("document.getElementById(arguments[0]).click()", button)
        browser.wait(lambda: browser.all("dialog[open]"))
        found[button] = faults(browser)
        browser.driver.execute_script("document.querySelector('dialog[open]').close()")
    assert not any(found.values()), found


def test_nothing_jumps_when_the_desk_looks_again(school: ClassServer, browser: Browser) -> None:
    come(browser, school, "berger")
    go(browser, school, "desk/7b", "#desk tbody tr")
    browser.driver.execute_script(MOVED)
    mark = "document.querySelector('#desk tbody tr').dataset.old = ''"
    browser.driver.execute_script(mark)
    browser.driver.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
    browser.wait(lambda: not browser.all("[data-old]"))
    assert browser.driver.execute_script("return window.shifts") <= 0.01


def test_the_desk_leads_to_a_tournament_of_the_group(school: ClassServer, browser: Browser) -> None:
    come(browser, school, "berger", PHONE)
    go(browser, school, "desk/7b", "#desk a[href^='/tournaments']")
    browser.click_on("#desk a[href^='/tournaments']")
    browser.wait(lambda: browser.all("#cup-group"))
    assert browser.find("cup-group").get_property("value") == "7b" and browser.shows("cup-group")
    assert browser.focused == "cup-name"
    assert faults(browser) == [] and not scrolls_sideways(browser)


def test_a_slip_lets_a_pupil_choose_a_password(
    school: ClassServer, browse: Callable[[int], list[Browser]]
) -> None:
    teacher, pupil = browse(2)
    come(teacher, school, "berger")
    go(teacher, school, "desk/7b/slips", "#slips")
    teacher.click("slips-new")
    teacher.wait(lambda: teacher.all(".slip"))
    assert teacher.texts(".slip h2") == ["carl"]
    assert teacher.all(".slip .qr path")
    code = teacher.texts(".slip dd")[1]
    pupil.open(school.url, to_log_in=False)
    pupil.driver.get(f"{school.url}code#{code.replace('-', '')}")
    pupil.wait(lambda: pupil.shows("code-use"))
    assert "#" not in pupil.driver.current_url  # the code isn't in the history
    assert faults(pupil) == []
    pupil.click_on("#code-use button.main")
    pupil.wait(lambda: pupil.shows("code-choose"))
    pupil.type("code-password", "my own word")
    pupil.click_on("#code-use button.main")
    pupil.wait_for_view("lobby")
    assert pupil.text("user") == "carl"


def test_26_slips_are_4_pages(school: ClassServer, browser: Browser) -> None:
    """Acceptance 17: on A4, none is cut, and there is no head and no button."""
    school.admin("teacher", "8a", "berger")
    school.admin("add", "8a", *(f"pupil-{letter}" for letter in ascii_lowercase))
    come(browser, school, "berger")
    go(browser, school, "desk/8a/slips", "#slips")
    browser.click("slips-new")
    browser.wait(lambda: len(browser.all(".slip")) == 26)
    media = {"media": "print", "features": []}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    assert browser.driver.execute_script(PRINTED) == []
    told = {"preferCSSPageSize": True, "printBackground": True}
    printed = b64decode(browser.driver.execute_cdp_cmd("Page.printToPDF", told)["data"])
    pages = re.findall(rb"/Type /Page\b.*?/MediaBox \[0 0 (\d+)[\d.]* (\d+)", printed, re.S)
    assert pages == [(b"594", b"841")] * 4, "A4, in points"


def test_a_terminal_gets_in_by_a_code_of_the_page(school: ClassServer, browser: Browser) -> None:
    come(browser, school, "anna")
    go(browser, school, "code", "#code-own")
    browser.click("code-get")
    browser.wait(lambda: browser.shows("code-made"))
    code = browser.text("code-made")
    command = [f"{BIN}/tictac", "play", "127.0.0.1", str(school.rooms)]
    typed = f"code {code}\nquit\n".encode()
    done = subprocess.run(command, input=typed, timeout=PATIENCE, capture_output=True)
    assert b"Welcome anna" in done.stdout, done


def test_a_rule_and_the_table(school: ClassServer, browser: Browser) -> None:
    come(browser, school, "berger", PHONE)
    go(browser, school, "desk/7b", "#desk tbody tr")
    browser.driver.execute_script("document.getElementById('desk-new-rule').click()")
    browser.wait(lambda: browser.all("dialog[open]"))
    browser.type("rule-title", "Homework 3")
    browser.driver.execute_script("document.querySelector('dialog[open] button.main').click()")
    browser.wait(lambda: "8 wins in 10 matches" in browser.text("desk-sentence"))
    assert "0 / 8" in browser.text("desk-marks")
    assert "Homework 3" in school.admin("show", "7b")
    browser.driver.execute_script("document.getElementById('desk-csv').click()")
    browser.wait(lambda: "with your downloads" in browser.text("desk-note"))


def test_a_rule_for_matches_with_classmates(school: ClassServer, browser: Browser) -> None:
    come(browser, school, "berger", PHONE)
    go(browser, school, "desk/7b", "#desk tbody tr")
    browser.driver.execute_script("document.getElementById('desk-new-rule').click()")
    browser.wait(lambda: browser.all("dialog[open]"))
    assert not browser.shows("rule-company")
    browser.click_on("#rule-kind option[value='play']")
    browser.click_on("#rule-company option[value='classmates']")
    browser.driver.execute_script("document.querySelector('dialog[open] button.main').click()")
    browser.wait(lambda: "Opponents: classmates." in browser.text("desk-sentence"))
    assert "with classmates" in school.admin("show", "7b")


def test_a_rank_has_a_place_and_a_goal(school: ClassServer, browser: Browser) -> None:
    series = ("--name", "Autumn", "--game", "nim", "--time", "60")
    school.run("admin", "-s", f"{school.folder}/sock", "series", "create", "term", *series)
    school.admin("rule", "7b", "rank 3 in term", "--title", "Ladder")
    assert "no place yet (goal: 3)" in school.admin("show", "7b")
    come(browser, school, "berger")
    go(browser, school, "desk/7b", "#desk tbody tr")
    browser.click_on("#desk-rules option:last-child")
    browser.wait(lambda: "No place yet, goal: 3" in browser.text("desk-marks"))


def test_a_pupil_has_no_desk(school: ClassServer, browser: Browser) -> None:
    come(browser, school, "ben")
    browser.driver.get(school.url + "desk/7b")
    browser.wait(lambda: "Only a teacher of this group" in browser.text("desk"))
    assert not browser.shows("desk-pair") and not browser.all("#desk tbody tr")
    assert not browser.all("#to-desk")
