"""The faults that axe finds on a page."""

from __future__ import annotations

from importlib.resources import files

from tests.plugins.web.browser import Browser

AXE = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
SERIOUS = ["critical", "serious"]

RUN = """
const [serious, done] = arguments;
const told = ({ id, help, nodes }) => `${id}: ${help}: ${nodes[0].html}`;
const found = ({ passes, violations }) =>
  [passes.length, violations.filter(({ impact }) => serious.includes(impact)).map(told)];
axe.run(document, { resultTypes: ["violations"] })
  .then(found)
  .then(done, (error) => done(`${error}`));
"""
"""How many rules the page keeps, and its faults: to pass on all that axe says takes long."""


def faults(browser: Browser) -> list[str]:
    """Return the faults that axe finds on the current page."""
    if not browser.driver.execute_script("return Boolean(window.axe)"):
        browser.driver.execute_script(AXE)
    answer = browser.driver.execute_async_script(RUN, SERIOUS)
    assert isinstance(answer, list), answer
    kept, found = answer
    assert kept > 10, "it has looked at something"
    return list(map(str, found))
