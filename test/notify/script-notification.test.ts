import { describe, it } from "vitest";

import { notificationOfScripts } from "../../src/notify/script-notification.ts";
import type { ScriptCheck } from "../../src/state/scripts/script-watch.ts";
import { script } from "../support/inventory.ts";
import {
  authorised,
  check,
  day,
  declaredScripts,
  firstDay,
  readingOf,
} from "../support/watched.ts";

function told(each: ScriptCheck): readonly string[] {
  const found = notificationOfScripts("shop.example.com", each, {
    at: firstDay,
    revision: "r",
    commit: undefined,
  });
  return found === undefined ? [] : [`${found.severity} ${found.reason}: ${found.message}`];
}

const pay = "https://pay.example.net/pay.js";
const fresh = script(pay, { lastSeenAt: day(8) });

describe("the notification about a check of scripts", () => {
  it("names new findings once, and says when none is left", ({ expect }) => {
    const first = check(declaredScripts([]), readingOf([fresh]), firstDay);
    const [{ id } = { id: "" }] = first.watch.findings;
    expect(told(first)).toEqual([
      `error ScriptFindings: 1 new finding on the scripts of declared pages: ${pay}: no entry authorises the script (${id})`,
    ]);
    const second = check(declaredScripts([]), readingOf([fresh]), day(1), first.watch);
    expect(told(second)).toEqual([]);
    const third = check(
      declaredScripts([authorised(pay)]),
      readingOf([fresh]),
      day(2),
      second.watch,
    );
    expect(told(third)).toEqual([
      "info NoScriptFindings: the scripts on the declared pages have no open finding any more",
    ]);
  });

  it("names five findings, and the number of the others", ({ expect }) => {
    const many = Array.from({ length: 9 }, (_, nth) => script(`https://x.example/${nth}.js`));
    const [text = ""] = told(check(declaredScripts([]), readingOf(many), firstDay));
    expect(text).toMatch(/^error ScriptFindings: 9 new findings .*; and 4 more$/);
  });

  it("tells a gap that is over, and not what was acknowledged before it was found", ({
    expect,
  }) => {
    const declared = declaredScripts([authorised(pay)]);
    const first = check(declared, readingOf([fresh]), firstDay);
    const [text = ""] = told(check(declared, readingOf([fresh]), day(8), first.watch));
    expect(text).toContain("the inventory was not read since 2026-11-02T12:00:00.000Z");
    const found = check(declaredScripts([]), readingOf([fresh]), firstDay);
    const [{ id } = { id: "" }] = found.watch.findings;
    const acknowledged = [{ id, until: day(9), reason: "x", by: "y" }];
    const known = declaredScripts([], { acknowledged });
    const second = check(known, readingOf([fresh]), firstDay);
    expect(told(second)).toEqual([]);
    const longer = acknowledged.map((each) => ({ ...each, until: day(20) }));
    const renewed = declaredScripts([], { acknowledged: longer });
    expect(told(check(renewed, readingOf([fresh]), day(1), second.watch))).toEqual([]);
  });
});
