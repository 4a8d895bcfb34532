"""Modules as one script, and style sheets as one."""

from __future__ import annotations

import re

import pytest

from tests.plugins.web.browser import Browser
from tests.plugins.web.catalogues import STATIC
from tests.plugins.web.fake import run
from tictac.plugins.web.bundle import bundle_scripts, bundle_styles

MODULES = {
    "js/main.js": """\
import * as banner from "./banner.js";
import { $, make as build } from "./dom.js";
// A comment.

window.at = "https://play.test"; // of a comment that stands behind code
window.found = [$(1), build(2), banner.say()].join();
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
}


def bundle(**changed: str) -> str:
    """Return the bundle of the modules, some of them changed."""
    modules = {**MODULES, **{f"js/{name}.js": text for name, text in changed.items()}}
    return bundle_scripts(modules.__getitem__, "js/main.js")["js/main.js"]


def test_a_module_has_what_it_imports_and_keeps_the_rest_to_itself(browser: Browser) -> None:
    script = bundle()
    assert script.count("const one") == 1
    assert not any(each in script for each in ("comment", "More", "\n\n"))
    assert run(browser, f"{script}\nreturn window.found;") == "2,2,4"


def test_types_cost_no_bytes() -> None:
    typed = bundle(
        dom="""\
/** @type {{ n: number }} */
const one = { n: 1 };
/**
 * @param {number} n
 */
export const $ = (/** @type {number} */ n) => /** @type {any} */ (one.n) + /** @type {any} */ (n);
export const make = (n) => /** @type {number} */ (n ?? one).n;
const found = /** @type {any} */ (one.find($(1), [])[0]).n + /** @type {any} */ ("(");
const sum = /** @type {any} */ (one.n + 2) * /** @type {any} */ (one?.n).n;
"""
    )
    plain = bundle(
        dom="""\
const one = { n: 1 };
export const $ = (n) => one.n + n;
export const make = (n) => (n ?? one).n;
const found = one.find($(1), [])[0].n + "(";
const sum = (one.n + 2) * (one?.n).n;
"""
    )
    assert typed == plain


def test_what_is_fetched_later_has_the_modules_that_are_there(browser: Browser) -> None:
    modules = {
        **MODULES,
        "js/banner.js": 'export const say = () => import("./late.js");\n',
        "js/late.js": 'import { make } from "./dom.js";\nimport { two } from "./two.js";\n'
        "export const three = () => make(1) + two;\n",
        "js/two.js": "export const two = 2;\n",
    }
    scripts = bundle_scripts(modules.__getitem__, "js/main.js")
    assert list(scripts) == ["js/late.js", "js/main.js"]
    late, first = scripts.values()
    assert "const two" not in first and "const one" not in late
    first = first.replace('import("/js/late.js")', "Promise.resolve({ default: fetched })")
    late = late.replace("export default", "const fetched =")
    assert run(browser, f"{late}{first}\nreturn $banner.say().then((l) => l.three());") == 3
    with pytest.raises(ValueError, match="fetches nothing itself"):
        bundle_scripts({**modules, "js/two.js": 'import("./dom.js");\n'}.__getitem__, "js/main.js")


@pytest.mark.parametrize(
    "dom",
    [
        'import { say } from "./banner.js";\nexport const $ = 1;\n',
        "export default 1;\n",
        "export let $ = 1;\n",
        'export { $ } from "./banner.js";\n',
        "const later = (name) => import(name);\n",
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


def test_what_a_module_exports_another_one_uses() -> None:
    """A function for which nothing asks has to go, and the texts that only it says."""
    modules = {path: path.read_text("utf-8") for path in STATIC.rglob("*.js")}
    words = {path: {*re.findall(r"[\w$]+", code)} for path, code in modules.items()}
    exported = re.compile(r"^export (?:async )?(?:const|class|function) ([\w$]+)", re.M)
    idle = {
        name
        for path, code in modules.items()
        if path.parent.name == "js"
        for name in exported.findall(code)
        if not any(name in words[other] for other in modules if other != path)
    }
    assert idle == set()
