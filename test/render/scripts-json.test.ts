import * as fc from "fast-check";
import { describe, it } from "vitest";

import { recordIn } from "../../src/history/file/history-lines.ts";
import {
  scriptRecordFrom,
  scriptRecordJson,
  scriptWatchFrom,
  scriptWatchText,
} from "../../src/render/scripts/scripts-json.ts";
import { scriptRecordOf } from "../../src/state/scripts/script-watch.ts";
import { script } from "../support/inventory.ts";
import {
  authorised,
  check,
  day,
  declaredScripts,
  firstDay,
  readingOf,
} from "../support/watched.ts";

const pay = "https://pay.example.net/pay.js";
const content = { hash: "a".repeat(64), fetchedAt: day(0.5) };
const pinned = script(pay, { ...content, versions: [{ ...content, scores: script("").scores }] });
const first = check(
  declaredScripts([authorised(pay, { integrity: { by: "pinned" } })]),
  readingOf([pinned, script("https://evil.example/<b>.js")], {
    enforcementOf: () => [{ policy: "checkout", decision: "blocks" }],
  }),
  firstDay,
);
const [{ id } = { id: "" }] = first.watch.findings;
const second = check(
  declaredScripts([], { acknowledged: [{ id, until: day(9), reason: "test", by: "Alex" }] }),
  readingOf([pinned]),
  day(1),
  first.watch,
);
const head = { zone: "shop.example.com", revision: "sha256-1", commit: "abc" };

describe("the scripts of a zone in the state", () => {
  it("are read as they were written", ({ expect }) => {
    for (const { watch } of [first, second]) {
      const known = { ...watch, recordedAt: firstDay };
      expect(scriptWatchFrom(scriptWatchText(known))).toEqual(known);
    }
  });

  it("count as not stored where they are damaged", ({ expect }) => {
    const text = scriptWatchText(first.watch);
    expect(scriptWatchFrom("")).toBeUndefined();
    expect(scriptWatchFrom("[]")).toBeUndefined();
    expect(scriptWatchFrom(text.slice(0, -1))).toBeUndefined();
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(() => scriptWatchFrom(json)).not.toThrow();
        expect(() => scriptRecordFrom(JSON.parse(json))).not.toThrow();
      }),
    );
  });
});

describe("a check of scripts in the history", () => {
  it("is read as it was written, and is told apart from a damaged line", ({ expect }) => {
    for (const [each, at] of [
      [first, firstDay],
      [second, day(1)],
    ] as const) {
      const record = scriptRecordOf(each, { ...head, at });
      expect(record?.events.length).toBeGreaterThan(1);
      if (record === undefined) continue;
      const text = JSON.stringify(scriptRecordJson(record));
      expect(recordIn({ text })).toEqual(record);
      expect(
        recordIn({ text: text.replace('"opened"', '"opend"').replace('"vanished"', '""') }),
      ).toBe(undefined);
    }
  });

  it("keeps how an acknowledgement and the content of a script changed", ({ expect }) => {
    const [open] = second.watch.findings;
    const acknowledgedBy = (by: string) =>
      declaredScripts([], {
        acknowledged: [{ id: open?.id ?? "", until: day(12), reason: "test", by }],
      });
    const third = check(acknowledgedBy("Alex"), undefined, day(2), second.watch);
    const renewed = check(acknowledgedBy("Sam"), undefined, day(2), third.watch);
    const reopened = check(declaredScripts([]), undefined, day(2), renewed.watch);
    const infected = { ...pinned, hash: "b".repeat(64), urlReportedMalicious: true };
    const changed = check(declaredScripts([]), readingOf([infected]), day(2), reopened.watch);
    for (const [each, events] of [
      [third, ["acknowledged"]],
      [renewed, ["renewed"]],
      [reopened, ["reopened"]],
      [changed, ["changed", "opened"]],
    ] as const) {
      const record = scriptRecordOf(each, { ...head, at: day(2) });
      expect(record?.events.map(({ event }) => event)).toEqual(events);
      expect(record && scriptRecordFrom(scriptRecordJson(record))).toEqual(record);
    }
  });
});
