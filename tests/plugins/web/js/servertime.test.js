import assert from "node:assert/strict";
import { test } from "node:test";

const { learnTime, serverNow } = await import("../../../../tictac/plugins/web/static/js/servertime.js");

test("the server's clock counts, as far as it is known", () => {
  learnTime(undefined);
  assert.ok(serverNow() <= Date.now());
  const hour = 3_600_000;
  const ahead = new Date(Date.now() + hour).toUTCString();
  learnTime(ahead);
  assert.ok(serverNow() >= Date.parse(ahead));
});
