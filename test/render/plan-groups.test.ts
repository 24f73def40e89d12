import { describe, it } from "vitest";

import { renderReports } from "../../src/render/plan-text.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { type Came, change, done, failed, failure, hold, report } from "../support/reports.ts";

const stricter = change("managed_rule/owasp", "strengthens", {
  fields: [{ field: "paranoia_level", before: 1, after: 2 }],
});
const off = change("setting/enabled", "weakens", {
  fields: [{ field: "value", before: true, after: false }],
  reasons: ["scripts are no longer watched"],
});
function zones(
  count: number,
  came: (n: number) => Came = () => ({
    result: "planned",
    cause: "pending",
    changes: [stricter],
  }),
): readonly ZoneReport[] {
  return Array.from({ length: count }, (_, n) =>
    report(`z${String(n).padStart(3, "0")}.example.com`, 1, came(n)),
  );
}

function textOf(reports: readonly ZoneReport[], verbose = false): string {
  return renderReports(reports, { color: false, verbose });
}

describe("a plan of many zones as text", () => {
  it.for([1, 10])("shows each of %i in full", (count, { expect }) => {
    const text = textOf(zones(count));
    expect(text.match(/^z\d+\.example\.com {2}1 change, pending$/gm)).toHaveLength(count);
    expect(text).not.toContain("--verbose");
  });

  it.for([11, 40, 400])("says what is equal in %i once", (count, { expect }) => {
    expect(textOf(zones(count)).split("\n")).toEqual([
      "Changes",
      "",
      `${count} zones  z000.example.com, z001.example.com, z002.example.com and ${count - 3} more`,
      "  ▲ strengthens  ~ managed_rule/owasp paranoia_level 1 → 2",
      "",
      `Plan: 0 to create, ${count} to update, 0 to delete, in ${count} requests. 0 of ${count} zones in sync.`,
      "",
      "Each zone in full: name it, or add --verbose.",
    ]);
    expect(textOf(zones(count), true).match(/1 change, pending$/gm)).toHaveLength(count);
  });

  it("shows first what fails, is held and weakens, on one screen", ({ expect }) => {
    const text = textOf(
      zones(400, (n) => {
        if (n === 399) return { result: "planned", cause: "pending", changes: [off, stricter] };
        if (n === 7 || n === 9) return { result: "error", failure: failure("403: no access") };
        const holds = [hold("too_many_updates", `release this plan with ${n}`)];
        if (n > 200 && n < 204) {
          return { result: "held", cause: "pending", changes: [stricter], holds };
        }
        return { result: "planned", cause: "pending", changes: [stricter] };
      }),
    );
    expect(text).toMatch(
      new RegExp(
        [
          "^Review first\n",
          "2 zones  z007.example.com, z009.example.com\n  not read  API_UNAVAILABLE\n      403: no access\n",
          "3 zones  z201[^\n]*z203.example.com\n  held by  too_many_updates\n      If you do not intend the updates[^]*",
          "z399.example.com\n  ▼ weakens  ~ setting/enabled value true → false\n      scripts are no longer watched\n",
          "Other changes\n",
          "398 zones  z000[^\n]* and 395 more\n",
        ].join("\n"),
      ),
    );
    expect(text.split("\n").length).toBeLessThanOrEqual(30);
  });

  it("counts changes that are all different", ({ expect }) => {
    const text = textOf(
      zones(400, (n) => ({
        result: "planned",
        cause: "pending",
        changes: [change(`policy/p${n}`)],
      })),
    );
    expect(text).toContain("360 more changes in 360 zones: add --verbose");
    expect(text.split("\n").length).toBeLessThanOrEqual(130);
  });

  it("names the outcomes of writes that were not done", ({ expect }) => {
    const text = textOf(
      zones(40, (n) => ({
        result: "applied",
        cause: "pending",
        changes: [stricter],
        outcomes: [n % 20 === 3 ? failed(stricter.key) : done(stricter.key)],
      })),
    );
    expect(text).toContain(
      "2 zones  z003.example.com, z023.example.com\n  failed  update-policy managed_rule/owasp\n      API_UNAVAILABLE: PUT policies: 400",
    );
  });
});
