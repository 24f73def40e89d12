import { describe, it } from "vitest";

import {
  driftTimeText,
  renderDriftTimes,
  renderHistoryEntry,
  renderTurn,
} from "../../src/history/history-text.ts";
import type { HistoryEntry } from "../../src/history/history.ts";
import { changeLines, changesLine } from "../../src/render/change-text.ts";
import { paintOf } from "../../src/render/format.ts";
import { type RolloutRecord, turnText } from "../../src/state/rollout-turn.ts";
import { carriedOut, declared, policy } from "../support/model.ts";
import { plannedPolicies } from "../support/planned.ts";
import { at, author, hold, tokenUse } from "../support/reports.ts";
import { setBack } from "../support/stepped.ts";

const plain = paintOf(false);

/** What a plan says where policies were as `before` and are declared as `after`. */
function changesFrom(before: readonly string[], after: readonly string[]): readonly string[][] {
  const items = after.map((value, index) => policy(`p${index}`, { value }));
  const live = before.map((value, index) =>
    carriedOut(`id${index}`, policy(`p${index}`, { value })),
  );
  const { changes } = plannedPolicies(declared(items), live);
  return [
    changes
      .flatMap((change) => changeLines(change, plain, { cause: "", authors: "" }))
      .map((line) => line.trim()),
    [changesLine(changes)],
  ];
}

describe("a policy's value", () => {
  it.for([
    {
      when: "sources come and go",
      before: "script-src a.example b.example",
      after: "script-src b.example c.example",
      says: ["value  + script-src c.example", "- script-src a.example"],
    },
    {
      when: "directives begin and cease to rule",
      before: "img-src 'self'",
      after: "font-src 'self'",
      says: ["value  + font-src (directive added)", "- img-src (directive removed)"],
    },
    {
      when: "nothing changes for a browser",
      before: "img-src 'self'; report-to x",
      after: "img-src 'self'; report-to y",
      says: ["value  + report-to y", "- report-to x"],
    },
  ])("is told by its sources where $when", ({ before, after, says }, { expect }) => {
    const [lines = []] = changesFrom([before], [after]);
    expect(lines.slice(-2)).toEqual(says);
  });
});

describe("changes in a line", () => {
  it("name what came and went, and fields with short values", ({ expect }) => {
    const long = `script-src ${Array.from({ length: 20 }, (_, n) => `h${n}.example`).join(" ")}`;
    const [, [line = ""] = []] = changesFrom(["script-src a.example"], [long, "img-src *"]);
    expect(line).toBe(
      `+ policy/p1, ~ policy/p0 value script-src a.example → ${long.slice(0, 80)}…`,
    );
  });

  it("count what is beyond ten", ({ expect }) => {
    const many = Array.from({ length: 12 }, () => "img-src *");
    const [, [line = ""] = []] = changesFrom([], many);
    expect(line).toMatch(/^\+ policy\/p0, .+ and 2 more$/);
  });
});

const entry: HistoryEntry = {
  at: at(0),
  zone: "shop.example.com",
  result: "partial",
  status: "error",
  causes: ["drift"],
  driftedSince: undefined,
  clearAt: undefined,
  trigger: "schedule",
  revision: "0123456789abcdef",
  run: "",
  changes: [
    {
      verb: "create",
      key: "policy/a",
      title: "",
      direction: "strengthens",
      causes: ["drift"],
      drift: "weakens",
      result: "done",
      fields: [],
    },
  ],
  holds: [],
  failure: { code: "API_REFUSED", message: "no \u001B such thing", ray: "" },
};

describe("the history in words", () => {
  it("shows changes and failures", ({ expect }) => {
    expect(renderHistoryEntry(entry, plain).split("\n")).toEqual([
      `${at(0).toISOString()}  shop.example.com  partial  drift  schedule, revision 0123456789ab`,
      "  + policy/a  ▲ strengthens  done  somebody lowered the protection",
      "  no \\u{1b} such thing",
      "",
    ]);
  });

  it("shows which run it was, and who made the drift that it corrected", ({ expect }) => {
    const [change] = entry.changes;
    if (change === undefined) throw new Error("no change");
    const mia = author({ name: "mia@shop.example", at: at(7) });
    const changes = [{ ...change, authors: [mia] }];
    const [head, ...lines] = renderHistoryEntry(
      { ...entry, run: "r\u001B7", changes },
      plain,
    ).split("\n");
    expect(head).toMatch(/ {2}schedule, revision 0123456789ab, run r\\u\{1b\}7$/);
    expect(lines[1]).toMatch(/^ {6}\w+ by mia@shop\.example.*, at 2026-\S+Z$/);
    const unknown = { ...entry, changes: [{ ...change, authors: [] }] };
    const painted = renderHistoryEntry(unknown, (style, text) => `<${String(style)} ${text}>`);
    expect(painted.split("\n")[2]).toBe("      <cyan cause unknown: the audit log names nobody>");
  });

  it("shows why a run was held that changes nothing for a known cause", ({ expect }) => {
    const holds = [hold("quota", "one \u001B rule too many"), hold("weakening", "weaker")];
    const held = { ...entry, result: "held", causes: [], changes: [], holds } as const;
    expect(renderHistoryEntry({ ...held, failure: undefined }, plain).split("\n")).toEqual([
      `${at(0).toISOString()}  shop.example.com  held  schedule, revision 0123456789ab`,
      "  one \\u{1b} rule too many (quota)",
      "  weaker (weakening)",
      "",
    ]);
  });

  it("shows that our token was used elsewhere, and what that means", ({ expect }) => {
    const use = tokenUse({ credential: "main", at: at(4), path: "/zones/z1/rulesets" });
    const line = renderHistoryEntry({ ...entry, tokenUses: [use] }, plain)
      .split("\n")
      .at(-2);
    expect(line).toContain(
      `  the token of credential main was used elsewhere: PUT /zones/z1/rulesets at ${at(4).toISOString()} is not a write of this installation; another installation, a pipeline or an apply probably has the same token: `,
    );
  });

  it("shows what happened to a rollout", ({ expect }) => {
    const facts = { turn: "wave_began", wave: 2, zones: 31 } as const;
    const record: RolloutRecord = { ...facts, at: at(3), revision: "5a40679", commit: undefined };
    expect(renderTurn(record, (style, text) => `<${String(style)} ${text}>`)).toBe(
      `${at(3).toISOString()}  <bold ${turnText(record)}>  <dim revision 5a40679>\n`,
    );
  });

  it("shows the steps that objects took before the changes", ({ expect }) => {
    const { zone: _zone, ...step } = setBack;
    const stepEvents = [{ ...step, key: "policy/\u001Bcheckout" }];
    expect(
      renderHistoryEntry({ ...entry, stepEvents }, plain)
        .split("\n")
        .slice(1, 3),
    ).toEqual([
      "  policy/\\u{1b}checkout is set back from allow to log: 130 in 20,000 requests, 65 per 10,000",
      "  + policy/a  ▲ strengthens  done  somebody lowered the protection",
    ]);
  });

  it.for([
    { result: "in_sync", is: "green" },
    { result: "applied", is: "green" },
    { result: "planned", is: "yellow" },
    { result: "held", is: "yellow" },
    { result: "running", is: "yellow" },
    { result: "partial", is: "red" },
    { result: "error", is: "red" },
    { result: "interrupted", is: "red" },
    { result: "no_longer_declared", is: "dim" },
  ] as const)("shows the result $result in $is", ({ result, is }, { expect }) => {
    const [head] = renderHistoryEntry(
      { ...entry, result },
      (style, text) => `<${String(style)} ${text}>`,
    ).split("\n");
    expect(head).toBe(
      `${at(0).toISOString()}  <bold ${entry.zone}>  <${is} ${result.replaceAll("_", " ")}>  drift  <dim schedule, revision 0123456789ab>`,
    );
  });

  it("shows the fields of a change below one another, and no fields of a new resource", ({
    expect,
  }) => {
    const fields = [
      { field: "enabled", before: false, after: true },
      { field: "description", before: "a", after: "b" },
    ];
    const [change] = entry.changes;
    if (change === undefined) throw new Error("no change");
    const changes = [
      { ...change, verb: "update", title: "Login page", fields },
      { ...change, drift: undefined, fields },
    ] as const;
    expect(
      renderHistoryEntry({ ...entry, changes }, plain)
        .split("\n")
        .slice(1),
    ).toEqual([
      "  ~ policy/a  Login page  ▲ strengthens  done  somebody lowered the protection",
      "      enabled      false → true",
      "      description  a → b",
      "  + policy/a  ▲ strengthens  done",
      "  no \\u{1b} such thing",
      "",
    ]);
  });

  it.for([
    { revision: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681", shown: "8c9b6cfb5909" },
    { revision: `sha256-${"af6646e99cba0123".repeat(4)}`, shown: "sha256-af6646e99cba" },
    { revision: "release-2026-11-21", shown: "release-2026-11-21" },
  ])("shows the revision $revision as $shown", ({ revision, shown }, { expect }) => {
    expect(renderHistoryEntry({ ...entry, revision }, plain).split("\n")[0]).toMatch(
      new RegExp(`, revision ${shown}$`),
    );
  });

  it.for([
    {
      commit: "8c9b6cfb5909a67682231d479f0f6b5da5aa4681-dirty",
      shown: "0123456789ab \\(commit 8c9b6cfb5909-dirty\\)",
    },
    { commit: "unknown", shown: "0123456789ab \\(commit unknown\\)" },
  ])("shows Git's name for the revision: $commit", ({ commit, shown }, { expect }) => {
    expect(renderHistoryEntry({ ...entry, commit }, plain).split("\n")[0]).toMatch(
      new RegExp(`, revision ${shown}$`),
    );
  });

  it("shows how long zones drifted", ({ expect }) => {
    const calm = { zone: entry.zone, episodes: 0, seenMs: 0, atMostMs: 0, isDrifting: false };
    const period = { since: at(0), until: at(60) };
    expect(renderDriftTimes([calm], period)).toMatch(/^Drift from \S+ to \S+: none\n$/);
    expect(driftTimeText(calm)).toBe("no drift on record");
    const often = { ...calm, episodes: 2, seenMs: 60_000, atMostMs: 120_000, isDrifting: true };
    const text = "drifted 2 times, 1 min seen, at most 2 min, still drifting";
    expect(driftTimeText(often)).toBe(text);
    const blog = { ...often, zone: "blog.example" };
    expect(renderDriftTimes([blog, calm, often], period).split("\n").slice(1)).toEqual([
      `  blog.example      ${text}`,
      `  shop.example.com  ${text}`,
      "",
    ]);
  });
});
