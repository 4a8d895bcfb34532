"""Modules as one script, and style sheets as one."""

from __future__ import annotations

import pytest

from tests.doors.web.browser import Browser
from tests.doors.web.fake import run
from tictac.doors.web.bundle import bundle_later, bundle_scripts, bundle_styles

MODULES = {
    "js/main.js": """\
import * as banner from "./banner.js";
import { $, make as build } from "./dom.js";
import texts from "../texts/en.json" with { type: "json" };
// A comment.
window.found = [texts.a, $(1), build(2), banner.say()].join();
""",
    "js/banner.js": """\
import {
  $,
} from "./dom.js";
/**
 * More.
 */
export const say = () => $(3);
""",
    "js/dom.js": """\
const one = 1;
export const $ = (n) => n + one;
export function make(n) {
  return n;
}
""",
    "texts/en.json": '{"a": "ä"}',
}


def bundle(**changed: str) -> str:
    """Those modules, some of them changed, as one."""
    modules = {**MODULES, **{f"js/{name}.js": text for name, text in changed.items()}}
    return bundle_scripts(modules.__getitem__, "js/main.js")


def test_a_module_has_what_it_imports_and_keeps_the_rest_to_itself(browser: Browser) -> None:
    script = bundle()
    assert script.count("const one") == 1 and "comment" not in script and "More" not in script
    assert run(browser, f"{script}\nreturn window.found;") == "ä,2,2,4"


def test_a_module_that_comes_later_shares_what_is_there(browser: Browser) -> None:
    lazy = 'import { $ } from "./dom.js";\nimport { x } from "./x.js";\nexport const both = $(x);\n'
    modules = {**MODULES, "js/lazy.js": lazy, "js/x.js": "export const x = 7;\n"}
    first = bundle(banner='export const say = () => import("./lazy.js");\n')
    later = bundle_later(modules.__getitem__, "js/lazy.js", "js/main.js")
    assert 'import("/js/lazy.js")' in first and "const one" not in later
    assert later.endswith("export const { both } = $lazy;")
    script = later.rpartition("\n")[0]
    assert run(browser, f"{bundle()}\n{{ {script}\nreturn $lazy.both; }}") == 8


@pytest.mark.parametrize(
    "dom",
    [
        'import { say } from "./banner.js";\nexport const $ = 1;\n',
        "export default 1;\n",
        "export let $ = 1;\n",
        'export { $ } from "./banner.js";\n',
        "const later = (path) => import(path);\n",
        'import "./banner.js"\n',
    ],
)
def test_what_cant_be_bundled_is_an_error(dom: str) -> None:
    with pytest.raises(ValueError, match=r"js/\w+\.js"):
        bundle(dom=dom)


def test_style_sheets_come_in_their_order() -> None:
    sheets = {
        "css/main.css": '@import "a.css";\n@import "b.css";\n',
        "css/a.css": "a",
        "css/b.css": "b",
    }
    assert bundle_styles(sheets.__getitem__, "css/main.css") == "ab"
