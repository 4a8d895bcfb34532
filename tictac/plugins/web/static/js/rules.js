// The rules of the game in a room, which the server tells when somebody looks at them.

import { $, make } from "./dom.js";
import { pathTo } from "./router.js";
import { addTexts, translate } from "./texts.js";

/**
 * Show the rules of a room's game; gives back what to call when one looks at them, or the room has changed.
 * @param {Session} session
 * @param {() => { game: string, options: Wire.Options } | null} roomOf
 */
export function offerRules(session, roomOf) {
  let shown = "";
  return async () => {
    const { game, options } = roomOf() ?? {};
    const wanted = JSON.stringify([game, options]);
    if ($("side").dataset.tab !== "rules" || !game || wanted === shown) return;
    shown = wanted;
    $("rules-page").href = pathTo("rules", game);
    const asked = session.ask({ do: "rules", game, options }).catch(() => ({ rules: [] }));
    const [{ rules }] = await Promise.all([asked, addTexts().catch(() => {})]);
    if (shown !== wanted) return;
    if (!rules.length) shown = "";
    $("rules-list").replaceChildren(...rules.map((rule) => make("li", {}, translate(rule))));
  };
}
