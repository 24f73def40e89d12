import { coerceObject, coerceObjects, type JsonObject } from "../../src/syntax/json.ts";
import { type Ran, type Workplace, workplace } from "./command-line.ts";
import type { StoryCheck } from "./evidence-story.ts";
import { shop } from "./fleets.ts";
import { script } from "./inventory.ts";
import { authorised, day, declaredScripts, readingOf } from "./watched.ts";

export const pay = "https://pay.example.net/pay.js";
export const evil = "https://evil.example/a.js";
export const unknownScript = "https://agency.example/test.js";
export const hostile = "https://evil.example/</td><script>alert(1)</script>";

/** A configuration that keeps a history, and reads no inventory. */
export const config = "mode: observe\nstore: { path: state }\n";

const zones = `zones:
  - name: ${shop}
    page_shield:
      scripts:
        pages: [shop.example.com/checkout/*]
        authorised:
          - url: ${pay}
            owner: "=HYPERLINK(1)"
            justification: "<img src=x onerror=alert(1)>"
            approved_by: "@Alex, \\"Doe\\""
            approved_on: 2026-11-01
            review_by: 2027-11-01
            integrity: pinned
`;

/** A place with zone files and a history. */
export async function placeWith(history: Uint8Array | undefined): Promise<Workplace> {
  const place = await workplace();
  await place.write("zonewarden.yaml", `${config}inventory: { enabled: true }\n`);
  await place.write("zones/shop.yaml", zones);
  if (history !== undefined) {
    await place.write("state/history.jsonl", Buffer.from(history).toString());
  }
  return place;
}

export function run(place: Workplace, out: string, ...more: readonly string[]): Promise<Ran> {
  const days = ["--since", "2026-11-02", "--until", "2026-11-05"];
  return place.run("evidence", "--zone", shop, ...days, "--out", out, ...more);
}

/** What a pack says of the shop: of a history, and of so many days. */
export async function shopInPack(
  place: Workplace,
  history: Uint8Array,
  days: number,
): Promise<JsonObject> {
  await place.write("state/history.jsonl", Buffer.from(history).toString());
  const last = day(days - 1)
    .toISOString()
    .slice(0, 10);
  await run(place, "out", "--until", last, "--force");
  return (await packIn(place)).zone;
}

/** The pack in a directory, and what it says of its first zone. */
export async function packIn(
  place: Workplace,
  out = "out",
): Promise<{ readonly json: JsonObject; readonly zone: JsonObject }> {
  const json = coerceObject(JSON.parse(await place.read(`${out}/evidence.json`)));
  const [zone = {}] = coerceObjects(json["zones"]);
  return { json, zone };
}

const declared = declaredScripts([authorised(pay)]);

export function checkAt(days: number, ...urls: readonly string[]): StoryCheck {
  const reading = readingOf(urls.map((url) => script(url, { lastSeenAt: day(days) })));
  return { days, declared, reading };
}

/** Four days: a hostile script comes and goes. */
export const fourDays = [
  checkAt(0, pay),
  checkAt(1, pay, hostile),
  checkAt(2, pay, hostile),
  checkAt(3, pay),
];
