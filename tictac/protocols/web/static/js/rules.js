// The rules of the game at a table, which the server tells when somebody opens them.

import { $, make } from "./dom.js";

/** Let visitors open the rules of `table()`'s game; gives back what to call when that has changed. */
export function offerRules(session, table) {
  let shown = "";
  const update = async () => {
    const { game, options } = table() ?? {};
    const wanted = JSON.stringify([game, options]);
    if (!$("rules").open || !game || wanted === shown) return;
    shown = wanted;
    const { rules } = await session.ask({ do: "rules", game, options }).catch(() => ({ rules: [] }));
    if (shown !== wanted) return;
    if (!rules.length) shown = "";
    $("rules-list").replaceChildren(...rules.map((rule) => make("li", {}, rule)));
  };
  $("rules").addEventListener("toggle", update);
  return update;
}
