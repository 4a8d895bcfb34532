// stylelint's own standard, but for two rules and their kin.

export default {
  extends: "stylelint-config-standard",
  rules: {
    // A rule of a few declarations stands in one line, as the row of a table: prettier leaves the sheets alone, too.
    "declaration-block-single-line-max-declarations": null,
    // A sheet is ordered by what it shows, and a selector of one part doesn't meet those of another.
    "no-descending-specificity": null,
    // bundle.py reads @import "…" alone.
    "import-notation": "string",
    // Safari, the only browser of iPhones, needs -webkit- for this.
    "property-no-vendor-prefix": [true, { ignoreProperties: ["/text-size-adjust$/"] }],
    // The page also reads from right to left.
    "property-disallowed-list": ["/^(margin|padding|border)-(left|right)/"],
    "declaration-property-value-disallowed-list": { "text-align": ["left", "right"] },
    // The rooms of Clue go by their letters.
    "selector-class-pattern": "^([a-z][a-z0-9]*(-[a-z0-9]+)*|room-[A-Z])$",
    // Names, of fonts and of a size of paper.
    "value-keyword-case": ["lower", { ignoreKeywords: ["A4", "Figtree", "Roboto"] }],
  },
};
