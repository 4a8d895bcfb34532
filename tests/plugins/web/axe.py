"""The faults that axe finds on a page."""

from __future__ import annotations

from importlib.resources import files

from tests.plugins.web.browser import Browser

AXE = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
SERIOUS = {"serious", "critical"}


def faults(browser: Browser) -> list[str]:
    """Return the faults that axe finds on the current page."""
    browser.driver.execute_script(f"if (!window.axe) {{ {AXE} }}")
    found = browser.driver.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document, { resultTypes: ['violations'] })"
        ".then(done, (error) => done(`${error}`));"
    )
    assert isinstance(found, dict), found
    assert len(found["passes"]) > 10, "it has looked at something"
    return [
        f"{fault['id']}: {fault['help']}: {fault['nodes'][0]['html']}"
        for fault in found["violations"]
        if fault["impact"] in SERIOUS
    ]
