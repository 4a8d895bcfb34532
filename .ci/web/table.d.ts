// The fields of a table (table.js), which its constructor sets by Object.assign().

import type { Told } from "../../tictac/plugins/web/static/js/table.js";

declare module "../../tictac/plugins/web/static/js/table.js" {
  interface Table extends Told {}
}
