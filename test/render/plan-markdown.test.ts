import { describe, it } from "vitest";

import type { Change } from "../../src/plan/change.ts";
import type { Hold } from "../../src/plan/guard/hold.ts";
import { fenced, markdownCode, markdownText } from "../../src/render/format.ts";
import { renderMarkdown } from "../../src/render/plan-markdown.ts";
import { renderReports } from "../../src/render/plan-text.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { applied, planned, runOf } from "../support/plan-stories.ts";
import { change, failure, report } from "../support/reports.ts";

/** Below the 65,536 characters that GitHub allows. */
const commentBytes = 60_000;

const weakened = change("setting/enabled", "weakens", {
  fields: [{ field: "value", before: true, after: false }],
  reasons: ["scripts are no longer watched"],
});

const stricter = change("managed_rule/owasp", "strengthens", {
  fields: [{ field: "paranoia_level", before: 1, after: 2 }],
});

function differing(zone: string, ...changes: readonly Change[]): ZoneReport {
  return report(zone, 1, { result: "planned", cause: "pending", changes });
}

function held(zone: string, holds: readonly Hold[], ...changes: readonly Change[]): ZoneReport {
  return report(zone, 1, { result: "held", cause: "pending", changes, holds });
}

function many(count: number, make: (name: string, n: number) => ZoneReport): readonly ZoneReport[] {
  return Array.from({ length: count }, (_, n) =>
    make(`brand${String(n).padStart(4, "0")}.example.com`, n),
  );
}

/** A change whose diff has so many characters. */
function large(characters: number, n = 0): Change {
  const after = Array.from({ length: characters / 10 }, (_, at) => `s${n}-${at}x`.padEnd(9, "y"));
  return change("policy/large", "strengthens", {
    fields: [{ field: "hosts", before: "", after }],
  });
}

/** A change whose short form does not show its end. */
function long(end: string): Change {
  return change("policy/a", "weakens", {
    fields: [{ field: "expression", before: "true", after: `${"x".repeat(200)}${end}` }],
  });
}

/** The delete of a policy for one host, whose short form does not name it. */
function deletedFor(host: string): Change {
  return {
    ...change("policy/checkout", "weakens", {
      fields: [{ field: "expression", before: `http.host eq "${host}"`, after: null }],
      reasons: ["no longer blocks what it does not allow"],
    }),
    verb: "delete",
    id: host,
    reason: "undeclared",
  };
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

describe("a plan as Markdown", () => {
  it("reads as this in a pull request", async ({ expect }) => {
    const { text, unseen } = renderMarkdown(runOf(planned));
    await expect(text).toMatchFileSnapshot("../golden/plan.md");
    expect(unseen).toBe(0);
  });

  it("shows the outcomes of an apply", ({ expect }) => {
    const { text } = renderMarkdown(runOf(applied));
    expect(text).toContain("### shop.example.com: 2 of 7 requests done");
  });

  it("says that nothing changes", ({ expect }) => {
    const { text } = renderMarkdown(runOf([report("a.example", 1, { result: "in_sync" })]));
    expect(text).toContain("## zonewarden plan: no changes\n");
    expect(text).not.toContain("Review first");
  });

  it("shows the one weakening of 113 zones first, though the others differ", ({ expect }) => {
    const zones = many(113, (name, n) => differing(name, n === 112 ? weakened : large(1_000, n)));
    const { text, unseen } = renderMarkdown(runOf(zones));
    expect(text).toMatch(/^## zonewarden plan: ▼ 1 weakens, ▲ 112 strengthens\n/);
    expect(text).toContain(
      "### Review first\n\n- brand0112.example.com: **▼ weakens** `~ setting/enabled value true → false`",
    );
    expect(text.indexOf("### brand0112")).toBeLessThan(text.indexOf("### brand0000"));
    expect(text).toMatch(/The table and the diff of \d\d zones did not fit/);
    expect(bytesOf(text)).toBeLessThanOrEqual(commentBytes);
    expect(unseen).toBe(0);
  });

  it("leaves out a zone that is too large, with its weakening in short form", ({ expect }) => {
    const zones = many(5, (name, n) =>
      n === 1 ? differing(name, large(61_000), weakened) : differing(name, large(100, n)),
    );
    const { text, unseen } = renderMarkdown(runOf(zones));
    expect(text).toContain("- brand0001.example.com: **▼ weakens**");
    expect(text).toContain(
      "The table and the diff of 1 zone did not fit: run `zonewarden plan` to see all:_ brand0001.example.com\n",
    );
    expect(text.match(/^### .*$/gm)).toEqual([
      "### Review first",
      ...[0, 2, 3, 4].map((n) => `### brand000${n}.example.com: 1 change, pending`),
    ]);
    expect(unseen).toBe(0);
  });

  it("shows equal plans once, and equal changes of different plans too", ({ expect }) => {
    const equal = many(388, (name) => differing(name, stricter));
    const { text } = renderMarkdown(runOf([...equal, differing("z.example", stricter, weakened)]));
    expect(text).toContain(
      "### 388 zones: 1 change, pending\n\n<details><summary>Zones</summary>\n\nbrand0000.example.com, ",
    );
    expect(text).toContain(
      "- 389 zones: **▲ strengthens** `~ managed_rule/owasp paranoia_level 1 → 2`",
    );
    expect(text.match(/paranoia_level: 2/g)).toHaveLength(2);
    expect(text).toContain("brand0387.example.com");
    expect(text).not.toContain("did not fit");
  });

  it("shows equal plans once, with the counts of all their zones", ({ expect }) => {
    const blocking = change("custom_rule/logins", "strengthens", {
      fields: [{ field: "action", before: "log", after: "block" }],
    });
    const effect = { before: "log", after: "block", extent: "all", isEstimate: false } as const;
    const week = { ...effect, requests: 400_000, hours: 168, ofHours: 168 };
    const zones = [
      differing("a.example.com", { ...blocking, measured: { ...week, count: 7 } }),
      differing("b.example.com", { ...blocking, measured: { why: "the store is gone" } }),
      differing("c.example.com", { ...blocking, measured: { ...week, count: 12 } }),
      differing("d.example.com", stricter),
    ];
    const { text } = renderMarkdown(runOf(zones));
    const counted = "would now block: these rules logged 19 requests of 800,000 in 7 days";
    expect(text).toContain("### 3 zones: 1 change, pending");
    expect(text).toContain(`▲ strengthens: ${counted}; not measured in 1 of 3 zones |`);
    expect(text.split("would now block")).toHaveLength(2);
    const { text: alone } = renderMarkdown(runOf(zones.slice(1, 2)));
    expect(alone).toContain("▲ strengthens: not measured: the store is gone |");
  });

  it("says with a weakening to review what it did", ({ expect }) => {
    const logging = change("custom_rule/logins", "weakens", {
      reasons: ["the action block → log"],
    });
    const effect = { before: "block", after: "pass", extent: "all", isEstimate: true } as const;
    const measured = { ...effect, count: 3_412, requests: 2_000_000, hours: 30, ofHours: 168 };
    const zones = [
      differing("a.example.com", { ...logging, measured }),
      differing("b.example.com", stricter),
    ];
    const counted =
      "would no longer block: this rule blocked about 3,412 requests of 2 million in 30 of 168 hours";
    expect(renderMarkdown(runOf(zones)).text).toContain(`the action block → log; ${counted}\n`);
    expect(renderReports(zones, { color: false }).replaceAll(/\s+/g, " ")).toContain(
      `the action block → log ${counted}`,
    );
    const fleet = [
      ...zones,
      ...Array.from({ length: 12 }, (_, n) => differing(`z${n}.example.com`, weakened)),
    ];
    expect(renderReports(fleet, { color: false }).replaceAll(/\s+/g, " ")).toContain(
      `the action block → log; ${counted}`,
    );
  });

  it("does not take changes for equal that only look so in short form", ({ expect }) => {
    const { text } = renderMarkdown(
      runOf([
        differing("a.example", long("1")),
        differing("b.example", long("2")),
        differing("c.example", long("1")),
      ]),
    );
    expect(text).toContain("- a.example, c.example: **▼ weakens**");
    expect(text).toContain("- b.example: **▼ weakens**");
  });

  it("shows equal deletes once, though each resource was another", ({ expect }) => {
    const zones = many(400, (name) => differing(name, deletedFor(name)));
    const { text, unseen } = renderMarkdown(runOf(zones));
    expect(text).toContain("- 400 zones: **▼ weakens** `- policy/checkout` _no longer declared_");
    expect(unseen).toBe(0);
  });

  it("has errors, holds, weakenings, deletes and what is unclear first, in this order", ({
    expect,
  }) => {
    const deleted: Change = {
      ...change("policy/old", "neutral"),
      verb: "delete",
      id: "5f1b0a",
      reason: "undeclared",
    };
    const hold = {
      reason: "weakening",
      message: "would weaken: release with --accept 0f",
    } as const;
    const zones = [
      differing("a.example", stricter),
      differing("b.example", change("policy/x", "unclear")),
      differing("c.example", deleted),
      differing("d.example", weakened),
      held("e.example", [hold], stricter),
      report("f.example", 1, { result: "error", failure: failure("403") }),
    ];
    const { text } = renderMarkdown(runOf(zones), {
      heldFleet: {
        found: "5 of 6 zones would change",
        hash: "ab".repeat(32),
        limit: "max_fleet_share",
        zones: [],
      },
    });
    const places = [
      "held by `fleet_change`",
      "f.example: **not read**",
      "e.example: **held by** `weakening`: would weaken",
      "d.example: **▼",
      "c.example: **· neutral** `- policy/old`",
      "b.example: **◆",
      "### f.example",
      "### e.example",
      "### b.example",
      "### a.example",
    ].map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(text).toMatch(
      /plan: ▼ 1 weakens, ◆ 1 unclear, ▲ 2 strengthens, · 1 neutral, 1 deleted, 1 held, 1 not read\n/,
    );
  });

  it.for([
    {
      what: "weakenings",
      make: (name: string, n: number) => differing(name, change(`managed_rule/r${n}`, "weakens")),
    },
    {
      what: "holds with messages of their own",
      make: (name: string, n: number) =>
        held(name, [{ reason: "freeze", message: "x" }], change(`managed_rule/r${n}`, "weakens")),
    },
    {
      what: "errors",
      make: (name: string, n: number) =>
        report(name, 1, { result: "error", failure: failure(`code ${n}`) }),
    },
  ])("says how many $what did not fit, and that the check fails", ({ make }, { expect }) => {
    const { text, unseen } = renderMarkdown(runOf(many(1_500, make)));
    expect(unseen).toBeGreaterThan(100);
    expect(text).toContain(
      `**${unseen} lines of “Review first” did not fit, so the check fails.**`,
    );
    expect(bytesOf(text)).toBeLessThanOrEqual(commentBytes);
    const whole = renderMarkdown(runOf(many(1_500, make)), {}, Infinity);
    expect(whole.unseen).toBe(0);
    expect(whole.text).toContain("### brand1499.example.com");
  });

  it("counts bytes, with an impact that does not fit", ({ expect }) => {
    const zones = many(40, (name, n) =>
      differing(
        name,
        change("policy/x", "weakens", { title: "界".repeat(600), reasons: [`${n}`] }),
      ),
    );
    const about = Array.from({ length: 30 }, () => "界".repeat(30));
    const { text, unseen } = renderMarkdown(runOf(zones), {
      heldFleet: {
        found: about.join(" "),
        hash: "ab".repeat(32),
        limit: "max_fleet_share",
        zones: [],
      },
    });
    expect(unseen).toBe(0);
    expect(bytesOf(text)).toBeLessThanOrEqual(commentBytes);
    expect(bytesOf(text)).toBeGreaterThan(commentBytes / 2);
  });

  it("lets no text from the service become markup, a link or a mention", ({ expect }) => {
    const { text } = renderMarkdown(
      runOf(planned.filter(({ zone }) => zone.startsWith("hostile"))),
    );
    expect(outsideCode(text)).not.toMatch(/(?<!\\)[<>]|(?<!\\)\]\(|@everyone/);
    expect(text).not.toContain("\n# not a heading");
  });

  it.for([
    "`` ` ``` ````",
    "</details></summary>",
    "@acme/owners",
    "${{ secrets.TOKEN }}",
    "a\n\n# b\r\n- c\u2028d",
    "\u202Egpj.\u2066x\u200B",
    "[a](javascript:b) ![c](https://d.example) <!-- e",
    "| a | b |",
  ])("stays harmless in each place of the text: %j", (text, { expect }) => {
    const hostile = change("policy/x", "weakens", {
      title: text,
      reasons: [text],
      fields: [
        { field: "expression", before: text, after: `${text}2` },
        { field: "value", before: `script-src ${text}`, after: "script-src 'self'" },
      ],
    });
    const key = { ...hostile, key: `policy/${text}` as const };
    const zones = [
      differing("a.example", hostile, key),
      differing("b.example", hostile),
      differing("c.example", hostile),
      held("d.example", [{ reason: "freeze", message: text }], hostile),
      report("e.example", 1, { result: "error", failure: { ...failure(text), message: text } }),
    ];
    const { text: shown } = renderMarkdown(runOf(zones));
    const outside = outsideCode(shown);
    expect(outside).not.toMatch(/(?<!\\)\]\(|@acme|\$\{\{|<!--|^# b|^- c|[\u2028\u202E\u2066]/m);
    const tags = ["<details>", "</details>", "<summary>", "</summary>"];
    const [opened, closed, ...others] = tags.map((tag) => outside.split(tag).length - 1);
    expect([closed, ...others]).toEqual([opened, opened, opened]);
    for (const row of shown.match(/^\| `~.*$/gm) ?? []) {
      expect(row.match(/(?<!\\)\|/g)).toHaveLength(4);
    }
  });
});

/** Markdown without its blocks and spans of code. */
function outsideCode(text: string): string {
  return text
    .replaceAll(/^(`{3,})diff$[^]*?^\1$/gm, "")
    .replaceAll(/(?<![`\\])(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
}

describe("text in Markdown", () => {
  it.for([
    { when: "plain", text: "Scripts of the checkout", yields: "Scripts of the checkout" },
    { when: "a table's bar", text: "a|b", yields: String.raw`a\|b` },
    { when: "emphasis", text: "*a* _b_ ~c~", yields: String.raw`\*a\* \_b\_ \~c\~` },
    { when: "an entity", text: "&lt;", yields: String.raw`\&lt;` },
    { when: "an address", text: "https://a.example", yields: String.raw`https\://a.example` },
    {
      when: "an address without scheme",
      text: "WWW.a.example",
      yields: String.raw`WWW\.a.example`,
    },
    { when: "a mention", text: "@all", yields: "@\u200Ball" },
    { when: "several lines", text: "a\nb", yields: String.raw`a\\u\{a\}b` },
  ])("stays text: $when", ({ text, yields }, { expect }) => {
    expect(markdownText(text)).toBe(yields);
  });

  it.for([
    { text: "a", yields: "`a`" },
    { text: "a|b", yields: String.raw`${"`"}a\|b${"`"}` },
    { text: "`a``b", yields: "``` `a``b ```" },
    { text: "", yields: "`  `" },
  ])("stands in a code span: $text", ({ text, yields }, { expect }) => {
    expect(markdownCode(text)).toBe(yields);
  });

  it("cannot end the block that it stands in", ({ expect }) => {
    expect(fenced("diff", ["+ a", "````"])).toBe("`````diff\n+ a\n````\n`````\n");
  });
});
