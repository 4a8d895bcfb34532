// Checks the page's scripts and style sheets: types, faults, style, format, and the tests without a browser.
// later.js lists what doesn't hold yet; an entry there that isn't needed any more is a fault, too.
//
// node .ci/web/check.js [types eslint stylelint prettier tests]

import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { later } from "./later.js";

const ROOT = resolve(import.meta.dirname, "../..");
const INDEX = "tictac/plugins/web/static/index.html";
const TESTS = "tests/plugins/web/js";
const SCRIPTS = ["tictac/**/*.js", "games/**/*.js", ".ci/web/*.js", `${TESTS}/*.js`];
const SHEETS = ["tictac/**/*.css", "games/**/*.css"];

/** By its name, each: a promise of the faults as "file: what", none of them of a library. */
const CHECKS = {
  async types() {
    writeIds();
    const [page, worker] = await Promise.all([".ci/web", ".ci/web/worker"].map((folder) => run("tsc", "-p", folder)));
    const lines = `${page}${worker}`.split("\n");
    return lines.filter((line) => line.includes("error TS")).map((line) => line.replace(/\((\d+),\d+\): error/, ":$1"));
  },
  async eslint() {
    const found = JSON.parse(await run("eslint", "--config", ".ci/web/eslint.config.js", "--format", "json", ...SCRIPTS));
    return found.flatMap(({ filePath, messages }) =>
      messages.map(({ line, message, ruleId }) => `${relative(ROOT, filePath)}:${line} ${message} (${ruleId})`),
    );
  },
  async stylelint() {
    const config = ["--config", ".ci/web/stylelint.config.js", "--config-basedir", ".ci/web", "--formatter", "json"];
    const found = JSON.parse(await run("stylelint", ...config, ...SHEETS));
    return found.flatMap(({ source, warnings }) => warnings.map(({ line, text }) => `${relative(ROOT, source)}:${line} ${text}`));
  },
  async prettier() {
    const ignored = "!tictac/plugins/web/static/lib/**";
    const found = await run("prettier", "--config", ".ci/web/prettier.json", "--list-different", ...SCRIPTS, ignored);
    return found
      .split("\n")
      .filter(Boolean)
      .map((file) => `${file}: npm run --prefix .ci/web format`);
  },
  async tests() {
    // Only newer ones of node take a pattern, and only older ones a folder.
    const files = readdirSync(resolve(ROOT, TESTS)).filter((name) => name.endsWith(".test.js"));
    const found = await run("node", "--test", "--test-reporter=tap", ...files.map((name) => `${TESTS}/${name}`));
    return /^# fail 0$/m.test(found) ? [] : found.split("\n").filter((line) => line.trim());
  },
};

/** Run a program of node_modules at the top; a promise of what it says, whether or not it finds something. */
function run(program, ...words) {
  const path = program === "node" ? process.execPath : resolve(import.meta.dirname, "node_modules/.bin", program);
  return new Promise((done, failed) => {
    execFile(path, words, { cwd: ROOT, maxBuffer: 1 << 26 }, (error, said, complaint) => {
      if (program === "stylelint" && complaint.startsWith("[")) done(complaint);
      else if (said || !error) done(said);
      else failed(new Error(`${program}: ${complaint || error.message}`));
    });
  });
}

/** Write ids.d.ts: which kind of element each id of index.html names. */
function writeIds() {
  const found = readFileSync(resolve(ROOT, INDEX), "utf8").matchAll(/<(\w+)\b[^<>]*? id="([^"]+)"/g);
  const lines = [...found].filter(([, tag]) => tag !== "symbol").map(([, tag, id]) => `  "${id}": "${tag}";\n`);
  writeFileSync(resolve(import.meta.dirname, "ids.d.ts"), `// Made by check.js.\ninterface Ids {\n${lines.join("")}}\n`);
}

/** The faults that nothing excuses, with the excuses that nothing needs. */
function judge(name, faults) {
  const excuses = Object.keys(later[name] ?? {});
  const excuseOf = (fault) => excuses.find((file) => file === "*" || fault.split(":")[0].endsWith(file));
  const left = excuses.filter((file) => !faults.some((fault) => excuseOf(fault) === file));
  return [...faults.filter((fault) => !excuseOf(fault)), ...left.map((file) => `.ci/web/later.js: ${name} of ${file} has no fault`)];
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(CHECKS);
const judged = await Promise.all(wanted.map(async (name) => judge(name, await CHECKS[name]())));
for (const [at, faults] of judged.entries()) {
  console.log([`${wanted[at]}: ${faults.length || "no"} faults`, ...faults].join("\n  "));
}
process.exitCode = judged.some((faults) => faults.length) ? 1 : 0;
