import { describe, it } from "vitest";

import type {
  ComparedPolicy,
  PolicyImpact,
  AffectedResource,
} from "../../src/impact/csp-impact.ts";
import type { EffectiveRule } from "../../src/impact/ruleset-impact.ts";
import type { DeploymentImpact, ZoneImpact } from "../../src/impact/zone-impact.ts";
import { impactJson } from "../../src/render/impact-json.ts";
import { renderImpacts } from "../../src/render/impact-text.ts";
import { renderMarkdown } from "../../src/render/plan-markdown.ts";
import { parseCspSource } from "../../src/syntax/csp/csp-source.ts";
import type { RulesetRule } from "../../src/zone/ruleset.ts";
import { zoneName } from "../../src/zone/zone.ts";
import { script } from "../support/inventory.ts";
import { policy } from "../support/model.ts";
import { runOf } from "../support/plan-stories.ts";

const page = "https://shop.example.com/";

function affected(name: string, ...malicious: readonly string[]): AffectedResource {
  return { resource: script(`https://${name}.example/x.js`), pages: [page], malicious };
}

const enforced = policy("site", { action: "allow" });
const title = "Scripts of the site";

function impactOf(judged: Partial<ComparedPolicy>, found: Partial<PolicyImpact>): PolicyImpact {
  return {
    policy: { key: "policy/site", title, before: undefined, after: enforced, ...judged },
    force: "blocks",
    seen: 1,
    blocked: [],
    newlyAllowed: [],
    allowedMalicious: [],
    unseen: [],
    unclear: [],
    elsewhere: 0,
    ...found,
  };
}

function ruleOf(id: string, ...categories: readonly string[]): RulesetRule {
  const facts = { ref: id, action: "score", expression: "", enabled: true, wire: {} };
  return { ...facts, id, description: `rule ${id}`, categories, scoreThreshold: undefined };
}

function effective(rule: RulesetRule, changes: Partial<EffectiveRule>): EffectiveRule {
  return { rule, enabled: true, action: "block", scoreThreshold: undefined, ...changes };
}

const score = ruleOf("score");

function deploymentOf(found: Partial<DeploymentImpact>): DeploymentImpact {
  const head = { id: "r1", name: "OWASP", description: "", kind: "managed", phase: "p" };
  const ruleset = { ...head, version: "87", lastUpdated: "", rules: [score] };
  const nothing = { switchedOn: [], switchedOff: [], retuned: [], advice: [] };
  return { key: "managed_rule/owasp", ruleset, on: 16, total: 33, ...nothing, ...found };
}

function on(
  policies: readonly PolicyImpact[],
  deployments: readonly DeploymentImpact[] = [],
  notes: readonly string[] = [],
): ZoneImpact {
  const zone = zoneName("shop.example.com");
  if (zone === undefined) throw new Error("no name of a zone");
  return { zone, policies, deployments, exceptions: [], unread: [], notes };
}

function lines(impact: ZoneImpact): readonly string[] {
  return renderImpacts([impact], { color: false }).split("\n").slice(1, -2);
}

describe("the exceptions from the managed rules", () => {
  const everything = { from: "all managed rules", expression: "ip.src eq 192.0.2.7" };
  const impact = {
    ...on([]),
    exceptions: [
      {
        ...everything,
        kind: "custom_rule",
        name: "custom_rule/a",
        title: "Probes",
        when: "starts",
      },
      { ...everything, kind: "managed_rule", name: "id-1", title: "", when: "stays" },
      { ...everything, kind: "custom_rule", name: "id-2", title: "B \u001B", when: "stays" },
    ],
    unread: ["managed_rules"],
  } as const satisfies ZoneImpact;

  it("are listed by what becomes of them, with the lists that were not read", ({ expect }) => {
    expect(lines(impact)).toEqual([
      "  exceptions  that spare requests from the managed rules",
      "    + new: 1",
      "        custom_rule/a “Probes”: all managed rules, where ip.src eq 192.0.2.7",
      "    · as before: 2",
      "        managed rule id-1: all managed rules, where ip.src eq 192.0.2.7",
      "        custom rule id-2 “B \\u{1b}”: all managed rules, where ip.src eq 192.0.2.7",
      "    not read, since the zone does not declare them: managed_rules",
    ]);
    expect(renderImpacts([{ ...impact, exceptions: [] }], { color: false })).toBe("Impact: none.");
  });

  it("are all in JSON", ({ expect }) => {
    expect(impactJson(impact)).toMatchObject({
      exceptions: [
        {
          kind: "custom_rule",
          name: "custom_rule/a",
          title: "Probes",
          when: "starts",
          ...everything,
        },
        { name: "id-1", when: "stays" },
        { name: "id-2" },
      ],
      exceptions_unread: ["managed_rules"],
    });
  });
});

describe("the impact of a policy", () => {
  it("names what it blocks, lets in, and leaves open", ({ expect }) => {
    const nowhere = { ...affected("a"), pages: [] };
    const unknown = { resource: script("https://z.example/", { lastSeenAt: undefined }) };
    const impact = impactOf(
      { before: enforced },
      {
        seen: 7,
        blocked: [
          { ...affected("new"), pages: [page, `${page}b`], already: false },
          { ...unknown, pages: [], malicious: [], already: true },
        ],
        newlyAllowed: [nowhere],
        allowedMalicious: [affected("bad", "integrity score 4")],
        unclear: [{ ...affected("far"), reason: "nobody can tell" }],
        unseen: [{ directive: "script-src", source: parseCspSource("old.example", 0) }],
        elsewhere: 2,
      },
    );
    expect(lines(on([impact], [], ["a \u001B note"]))).toEqual([
      "  policy/site  Scripts of the site  blocks what it does not allow; 7 resources detected on its pages",
      "    ✗ newly blocks: 1",
      `        script https://new.example/x.js  (last seen 2026-11-20; on ${page} and 1 more)`,
      "    ✗ still blocks: 1",
      "        script https://z.example/",
      "    + newly allows: 1",
      "        script https://a.example/x.js  (last seen 2026-11-20)",
      "    ! allows, although malicious: 1",
      `        script https://bad.example/x.js  (malicious: integrity score 4; last seen 2026-11-20; on ${page})`,
      "    ? unclear: 1",
      `        script https://far.example/x.js  (last seen 2026-11-20; on ${page}): nobody can tell`,
      "    · allows, but nothing detected needs it: 1",
      "        script-src old.example",
      "    2 more resources of these hosts: the only known page of each is not selected by the policy",
      "  note: a \\u{1b} note",
    ]);
  });

  it("lists no unused sources if nothing was detected", ({ expect }) => {
    const source = parseCspSource("old.example", 0);
    const unseen = [{ directive: "script-src", source }];
    const impact = impactOf({ title: "" }, { seen: 0, unseen, force: "reports" });
    expect(lines(on([impact]))).toEqual([
      "  policy/site  reports what it does not allow; nothing detected on its pages",
    ]);
  });

  it.for([
    { force: "none", says: "blocks and reports nothing" },
    { force: "unknown", says: "may block: its action is not known" },
  ] as const)("says what a policy does: $force", ({ force, says }, { expect }) => {
    const impact = impactOf({ title: "" }, { seen: 0, force });
    expect(lines(on([impact]))).toEqual([`  policy/site  ${says}; nothing detected on its pages`]);
  });

  it("counts what is beyond a screen, and gives all of it as JSON", ({ expect }) => {
    const before = policy("site", { action: "log" });
    const many = Array.from({ length: 12 }, (_, index) => affected(`h${index}`));
    const impact = on([impactOf({ before, after: undefined }, { newlyAllowed: many })]);
    expect(lines(impact)[1]).toBe("    + no longer reports: 12");
    expect(lines(impact).at(-1)).toBe("        and 2 more (all with --format json)");
    expect(impactJson(impact)).toMatchObject({
      policies: [{ newly_allowed: many.map(({ resource }) => ({ url: resource.url })) }],
    });
  });
});

describe("the impact on a managed ruleset", () => {
  const advised = "the override of the category language-php changes nothing";
  const impact = deploymentOf({
    switchedOn: [ruleOf("sql-2", "attack-sqli", "paranoia-level-2")],
    switchedOff: [ruleOf("odd", "language-php")],
    retuned: [
      {
        before: effective(score, { scoreThreshold: 60, action: "log" }),
        after: effective(score, { scoreThreshold: 40 }),
      },
      {
        before: effective(ruleOf("x"), {}),
        after: effective(ruleOf("x"), { action: "log" }),
      },
    ],
    advice: [advised],
  });

  it("names rules by level, description and id", ({ expect }) => {
    expect(lines(on([], [impact]))).toEqual([
      "  managed_rule/owasp  OWASP, version 87; 16 of 33 rules on",
      "    + switches on: 1",
      "        level 2: rule sql-2 (sql-2)",
      "    - switches off: 1",
      "        rule odd (odd)",
      "    ~ tunes: 2",
      "        rule score (score): log from 60 → block from 40",
      "        rule x (x): block → log",
      `    ! ${advised}`,
    ]);
  });

  it("is the same as JSON", ({ expect }) => {
    expect(impactJson(on([], [impact]))["deployments"]).toEqual([
      {
        key: "managed_rule/owasp",
        ruleset: "r1",
        version: "87",
        on: 16,
        total: 33,
        switched_on: [{ id: "sql-2", description: "rule sql-2", level: 2 }],
        switched_off: [{ id: "odd", description: "rule odd", level: null }],
        retuned: [
          {
            id: "score",
            description: "rule score",
            level: null,
            before: { action: "log", score_threshold: 60 },
            after: { action: "block", score_threshold: 40 },
          },
          {
            id: "x",
            description: "rule x",
            level: null,
            before: { action: "block", score_threshold: null },
            after: { action: "log", score_threshold: null },
          },
        ],
        advice: [advised],
      },
    ]);
  });
});

it("is nothing to tell where no rule changes and no policy is judged", ({ expect }) => {
  const quiet = on([], [deploymentOf({})]);
  expect(renderImpacts([quiet], { color: true })).toBe("Impact: none.");
});

it("is cut where a comment on a pull request would be too long", ({ expect }) => {
  const many = Array.from({ length: 60 }, () => impactOf({}, { newlyAllowed: [affected("a")] }));
  const { text } = renderMarkdown(runOf([]), { impacts: [on(many)] });
  expect(text).toMatch(/… \d+ more lines: zonewarden plan --impact shows all/);
});
