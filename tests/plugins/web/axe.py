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
// The other rules find nothing that counts here, in a quarter of the time.
const { checks } = axe._audit.data;
const impacts = ({ any, all, none }) =>
  [...any, ...all, ...none].map((check) => checks[check.id ?? check]?.impact);
const isSerious = (rule) => impacts(rule).some((impact) => serious.includes(impact));
const isUsual = ({ enabled, tags }) => enabled && !tags.includes("experimental");
const chosen = axe._audit.rules.filter((rule) => isUsual(rule) && isSerious(rule));
const values = chosen.map(({ id }) => id);
const runOnly = { type: "rule", values };
axe.run(document, { resultTypes: ["violations"], runOnly, preload: false })
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
