import { describe, it } from "vitest";

import { historyJson } from "../../src/history/history-json.ts";
import { scriptRecordJson } from "../../src/render/scripts/scripts-json.ts";
import { scriptRecordOf } from "../../src/state/scripts/script-watch.ts";
import { checkAt, placeWith, run } from "../support/evidence-pack.ts";
import { shop } from "../support/fleets.ts";
import { entryAt } from "../support/history-files.ts";
import { author } from "../support/reports.ts";
import { check, day } from "../support/watched.ts";

/** Stands for a text of a stranger. */
const place = "PLACE";

/** Texts that steer a terminal, change the direction of text, or are a formula for a spreadsheet. */
const hostileTexts = [
  "\u001B[2K\u001B]0;a\u0007",
  "\u009B8m\u007F",
  "\u202Egnp.js\u2066",
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "\uFF1D1",
  '","=1+1',
  '"\r\n=1+1,',
  "a;=1+1",
  "<script>alert(1)</script>",
];

/**
 * The lines of a history in which the texts that a stranger controls are such a text: the address of a script, the page
 * that loads it, who made a change, and a value that was changed.
 */
function historyWith(text: string): string {
  const { declared, reading } = checkAt(0, place);
  const at = day(0);
  const result = check(declared, reading, at);
  const files = { revision: "sha256-1", commit: "c0ffee" };
  const record = scriptRecordOf(result, { at, zone: shop, ...files });
  const entry = entryAt(1);
  const [change] = entry.changes;
  if (record === undefined || change === undefined) throw new Error("nothing was recorded");
  const fields = [{ field: "value", before: place, after: place }];
  const changes = [
    {
      ...change,
      title: place,
      fields,
      authors: [author({ name: place, at, path: place, ray: place })],
    },
  ];
  const edited = { ...entry, at, zone: shop, changes };
  const lines = [scriptRecordJson(record), historyJson(edited)].map((json) => JSON.stringify(json));
  const written = JSON.stringify(text).slice(1, -1);
  return lines.map((line) => `${line.replaceAll(place, written)}\n`).join("");
}

/** Controls but those of lines and tabs, and characters that change the direction of text. */
const steering = /[^\P{Cc}\t\r\n]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** The cells of CSV (RFC 4180). */
function cellsIn(csv: string): readonly string[] {
  return [...csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
}

const tables = ["seen-scripts", "findings", "changes", "drift"];

describe("a pack of a history with texts of strangers", () => {
  it.for(hostileTexts)("keeps them inert: %j", async (text, { expect }) => {
    await using workplace = await placeWith(Buffer.from(historyWith(text)));
    await run(workplace, "out");
    const read = (file: string): Promise<string> => workplace.read(`out/${file}`);
    const shown = [];
    for (const table of tables) {
      const csv = await read(`${table}.csv`);
      expect(csv).not.toMatch(steering);
      const cells = cellsIn(csv);
      expect(cells.filter((cell) => /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell))).toEqual(
        [],
      );
      const columns = csv.split("\r\n")[0]?.split(",").length ?? 0;
      expect(cells.length % columns).toBe(0);
      shown.push(...cells);
    }
    if (/^[ -~]+$/.test(text)) expect(shown.join()).toContain(text);
    const json = await read("evidence.json");
    expect(json).not.toMatch(steering);
    expect(JSON.stringify(JSON.parse(json))).toContain(JSON.stringify(text).slice(1, -1));
    const page = await read("evidence.html");
    expect(page).not.toMatch(steering);
    expect(page).not.toMatch(/<script/i);
  });
});
