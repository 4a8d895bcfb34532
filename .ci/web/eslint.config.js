// eslint's own recommended rules, and what the page's modules hold besides.

import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["tictac/plugins/web/static/lib/"] }, // lean-qr, as its author packs it
  js.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      complexity: ["error", 20],
      "max-depth": ["error", 4],
      "max-params": ["error", 7],
      "default-case-last": "error",
      eqeqeq: "error",
      "func-name-matching": "error",
      "no-constructor-return": "error",
      "no-eval": "error",
      "no-implicit-coercion": "error",
      "no-lonely-if": "error",
      "no-new-wrappers": "error",
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-throw-literal": "error",
      "no-unneeded-ternary": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true, allowTernary: true }],
      "no-useless-concat": "error",
      "no-useless-rename": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-arrow-callback": "error",
      "prefer-const": "error",
      "prefer-object-has-own": "error",
      "prefer-rest-params": "error",
      "prefer-spread": "error",
      "prefer-template": "error",
      radix: "error",
      "symbol-description": "error",
    },
  },
  // These draw or say each kind of thing there is, with a condition for each kind.
  { files: ["games/openspiel/**/page/*.js", "**/clue/game/page/case.js", "**/js/invitation.js"], rules: { complexity: ["error", 30] } },
  // The server puts a constant `texts`, and what the game tells, in front of page.js.
  { files: ["**/static/game/page.js"], languageOptions: { globals: { texts: "readonly", parts: "readonly" } } },
  { files: ["**/sw.js"], languageOptions: { globals: globals.serviceworker } },
  { files: [".ci/web/**", "tests/plugins/web/js/**"], languageOptions: { globals: globals.node } },
];
