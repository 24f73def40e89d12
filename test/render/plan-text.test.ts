import { stripVTControlCharacters, styleText } from "node:util";

import { describe, it } from "vitest";

import { reportJson } from "../../src/render/plan-json.ts";
import { renderReports } from "../../src/render/plan-text.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { applied, planned } from "../support/plan-stories.ts";
import { waiting } from "../support/reports.ts";

const plain = { color: false };

function zoneOf(reports: readonly ZoneReport[], name: string): ZoneReport[] {
  return reports.filter(({ zone }) => zone === name);
}

describe("a plan as text", () => {
  it("reads as this", async ({ expect }) => {
    await expect(`${renderReports(planned, plain)}\n`).toMatchFileSnapshot("../golden/plan.txt");
  });

  it("reads the same in colour", ({ expect }) => {
    const colored = renderReports(planned, { color: true });
    expect(stripVTControlCharacters(colored)).toBe(renderReports(planned, plain));
  });

  it.for([
    { what: "a zone", style: "bold", text: "shop.example.com" },
    { what: "a create", style: "green", text: "+ policy/images" },
    { what: "an update", style: "yellow", text: "~ policy/checkout" },
    { what: "a delete", style: "red", text: "- policy/legacy" },
    { what: "a field", style: "bold", text: "expression" },
    { what: "a value before", style: "red", text: "log" },
    { what: "a value after", style: "green", text: "allow" },
    { what: "a source that is added", style: "green", text: "+" },
    { what: "a source that is removed", style: "red", text: "-" },
    { what: "what strengthens", style: "green", text: "▲ strengthens: reports violations" },
    { what: "what weakens", style: "red", text: "▼ weakens: an exception spares requests" },
    { what: "what is unclear", style: "magenta", text: "◆ may break: the action is unknown" },
    { what: "what adopts", style: "cyan", text: "adopts it" },
    { what: "why it deletes", style: "dim", text: "(no longer declared)" },
    { what: "a value that is deleted", style: "dim", text: "script-src 'self'" },
    { what: "a zone in sync", style: "green", text: "in sync" },
    { what: "a plan that is held", style: "yellow", text: "3 changes, drift, held" },
    { what: "what releases it", style: "yellow", text: "    limits.max_delete_share" },
    { what: "a zone that was not read", style: "red", text: "read failed" },
    { what: "the id of a request", style: "dim", text: " (ray 8f2a1c)" },
  ] as const)("shows $what in $style", ({ style, text }, { expect }) => {
    const colored = renderReports(planned, { color: true });
    expect(colored).toContain(styleText(style, text, { validateStream: false }));
  });

  it("shows the outcomes of an apply", async ({ expect }) => {
    await expect(`${renderReports(applied, plain)}\n`).toMatchFileSnapshot("../golden/apply.txt");
  });

  it("keeps every line within a terminal", ({ expect }) => {
    const lines = renderReports(zoneOf(planned, "shop.example.com"), plain).split("\n");
    expect(lines.filter((line) => line.length > 106)).toEqual([]);
  });

  it("lets no text from the service reach the terminal as it is", ({ expect }) => {
    const text = renderReports(zoneOf(planned, "hostile.example.com"), plain);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).toContain(String.raw`\u{1b}[31mred`);
  });

  it("counts many zones in sync that have unmanaged resources", ({ expect }) => {
    const calm = planned.find(({ result }) => result === "in_sync");
    if (calm?.result !== "in_sync") throw new Error("no zone is in sync");
    const plan = { ...calm.plan, notes: ["something to know"] };
    const reports = Array.from({ length: 400 }, (): ZoneReport => ({ ...calm, plan }));
    const lines = (count: number): readonly string[] =>
      renderReports(reports.slice(0, count), plain).split("\n");
    expect(lines(5)).toContain("  note: something to know");
    expect(lines(400)).toEqual([
      "400 zones in sync with unmanaged resources, left alone, or with notes; name a zone to list its own",
      "",
      "No changes. 400 of 400 zones in sync.",
    ]);
  });

  it("omits zones in sync", ({ expect }) => {
    expect(renderReports(zoneOf(planned, "calm.example.com"), plain)).toBe(
      "No changes. 1 of 1 zone in sync.",
    );
  });

  it.for([
    { reason: "earlier_failure", says: "not sent, an earlier request failed" },
    { reason: "shutdown", says: "not sent, the program was stopped" },
    { reason: "conflict", says: "not sent, the zone or its files changed after it was planned" },
    {
      reason: "read_expired",
      says: "not sent, it waited until the state that was read was too old",
    },
    {
      reason: "cancelled",
      says: "not sent, a guard blocked it while it waited; the next run plans it again",
    },
  ] as const)("says why a request was not sent: $reason", ({ reason, says }, { expect }) => {
    const [report] = zoneOf(applied, "shop.example.com");
    if (report?.result !== "applied") throw new Error("not applied");
    const outcomes = report.outcomes.map(({ write }) => ({
      status: "skipped" as const,
      write,
      reason,
    }));
    expect(renderReports([{ ...report, outcomes }], plain)).toContain(says);
  });

  it("says what a request waits for, in JSON too", ({ expect }) => {
    const [report] = zoneOf(applied, "shop.example.com");
    if (report?.result !== "applied") throw new Error("not applied");
    const outcomes = [waiting("policy/old", "policy/new", "policy/newer")];
    expect(renderReports([{ ...report, outcomes }], plain)).toContain(
      "policy/old: not sent, it waits for policy/new, policy/newer",
    );
    expect(JSON.stringify(reportJson({ ...report, zones: [{ ...report, outcomes }] }))).toContain(
      '"reason":"earlier_failure","waits_for":["policy/new","policy/newer"]',
    );
  });

  it("explains lost answers and interleaved writes", ({ expect }) => {
    const [report] = zoneOf(applied, "shop.example.com");
    const [write] = report?.result === "applied" ? report.plan.writes : [];
    if (report?.result !== "applied" || write === undefined) throw new Error("not applied");
    const failure = {
      code: "API_UNKNOWN_OUTCOME",
      message: "POST: no answer",
      transient: true,
      ray: "",
      retryAfterMs: 0,
    };
    const text = renderReports(
      [
        {
          ...report,
          outcomes: [
            { status: "unknown", write, failure },
            { status: "done", write, ray: "r", interleaved: true },
          ],
        },
      ],
      plain,
    );
    expect(text).toContain("the answer was lost; the next run reads what came of it");
    expect(text).toContain("somebody else changed the zone");
  });

  it("shows changes that remain after the writes", ({ expect }) => {
    const [report] = zoneOf(applied, "shop.example.com");
    if (report?.result !== "applied") throw new Error("not applied");
    const outcomes = report.plan.writes.map((write) => ({
      status: "done" as const,
      write,
      ray: "r",
      interleaved: false,
    }));
    expect(renderReports([{ ...report, outcomes }], plain)).toContain(
      "written, but the zone still differs: policy/checkout",
    );
    expect(renderReports([{ ...report, outcomes, left: [] }], plain)).not.toContain("written, but");
  });
});
