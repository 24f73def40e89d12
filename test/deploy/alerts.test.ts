import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import { describe, it } from "vitest";

import { holdReasons, holdFacts } from "../../src/plan/guard/hold.ts";
import { deploy } from "./paths.ts";
import { prometheusRule } from "./prometheus-rule.ts";
import { alertsIn, readRules, ruleFile, textAt, rulesIn } from "./rules.ts";
import { noPromtool, run } from "./tools.ts";
import { foreignNames } from "./vocabulary.ts";

const rules = readRules();
const alerts = alertsIn(rules);
const scenarioFile = path.join(deploy, "alerts/zonewarden.rules.test.yaml");
const pages = globSync("*.md", { cwd: path.join(deploy, "runbooks") });

describe("the alert rules", () => {
  it("name only metrics, labels and values that the program exports", ({ expect }) => {
    const found = rulesIn(rules).flatMap((rule) => foreignNames(textAt(rule, "expr")));
    expect(found).toEqual([]);
  });

  it.for([
    { expr: "zonewarden_drifts > 0", finds: ["zonewarden_drifts"] },
    {
      expr: 'zonewarden_drift_resources{impact="bad"} > 0',
      finds: ['zonewarden_drift_resources{impact="bad"}'],
    },
    { expr: 'up{endpoint="http"}', finds: ['up{endpoint="http"}'] },
    { expr: "max by (job, colour) (zonewarden_zone_status)", finds: ["colour"] },
    {
      expr: 'zonewarden_api_requests_total{code!~"2..|999"}',
      finds: ['zonewarden_api_requests_total{code!~"2..|999"}'],
    },
  ])("would be caught naming $finds", ({ expr, finds }, { expect }) => {
    expect(foreignNames(expr)).toEqual(finds);
  });

  it("are the 36 alerts and five recorded series", ({ expect }) => {
    expect(alerts).toHaveLength(36);
    expect(rulesIn(rules)).toHaveLength(41);
    expect(new Set(alerts.map(({ name }) => name)).size).toBe(36);
  });

  it.for(alerts)(
    "$name says what is wrong, how bad it is and where to read on",
    (alert, { expect }) => {
      expect(alert.name).toMatch(/^Zonewarden[A-Z]\w+$/);
      expect(alert.severity).toMatch(/^(critical|warning)$/);
      expect(Object.keys(alert.annotations)).toEqual(["summary", "description", "runbook_url"]);
      expect(alert.annotations["summary"]).toMatch(/\.$/);
      expect(alert.annotations["description"]).toMatch(/\.$/);
      expect(alert.annotations["runbook_url"]).toBe(
        `https://github.com/zonewarden/zonewarden/blob/main/deploy/runbooks/${alert.name}.md`,
      );
    },
  );

  it("reach the Prometheus operator as they stand in the rule file", async ({ expect }) => {
    await expect(prometheusRule(rules)).toMatchFileSnapshot(
      path.join(deploy, "kustomize/components/monitoring/prometheusrule.yaml"),
    );
  });

  it.skipIf(noPromtool)(`pass promtool's lint ${noPromtool ?? ""}`, async ({ expect }) => {
    const { stdout } = await run("promtool", [
      "check",
      "rules",
      "--lint=all",
      "--lint-fatal",
      ruleFile,
    ]);
    expect(stdout).toContain("SUCCESS: 41 rules found");
  });

  it("have annotations that the scenarios expect, as far as that is known without promtool", ({
    expect,
  }) => {
    const scenarios = readFileSync(scenarioFile, "utf8")
      .split(/^.*alertname: /m)
      .slice(1);
    const wrong = scenarios.flatMap((scenario) => {
      const alert = alerts.find(({ name }) => scenario.startsWith(`${name}\n`));
      const expected = scenario.matchAll(/^ +(summary|description): '(.*)'$/gm);
      return [...expected]
        .map(([, key = "", text = ""]) => ({ key, text: text.replaceAll("''", "'") }))
        .filter(({ key, text }) => !templatePattern(alert?.annotations[key]).test(text));
    });
    expect(wrong).toEqual([]);
  });

  it("each have a scenario in which they fire", ({ expect }) => {
    const scenarios = readFileSync(scenarioFile, "utf8");
    const fired = [...scenarios.matchAll(/alertname: (\w+)\n\s+exp_alerts:(?: &\w+)?\n/g)].map(
      ([, name]) => name,
    );
    expect(new Set(fired)).toEqual(new Set(alerts.map(({ name }) => name)));
  });
});

describe("the runbooks", () => {
  it("are one page for each alert and no other", ({ expect }) => {
    expect(pages.toSorted()).toEqual(alerts.map(({ name }) => `${name}.md`).toSorted());
  });

  it.for(pages)("%s has its four parts, and something to type", (page, { expect }) => {
    const text = readFileSync(path.join(deploy, "runbooks", page), "utf8");
    expect([...text.matchAll(/^#+ .*$/gm)].map(([heading]) => heading)).toEqual([
      `# ${path.basename(page, ".md")}`,
      "## Meaning",
      "## Impact",
      "## Diagnosis",
      "## Mitigation",
    ]);
    expect(text).toMatch(/^```(sh|promql)$/m);
    // A process that does not start says why in plain text, for people.
    expect(text).not.toMatch(/ logs .*\| jq (?!-cR 'fromjson\? \| )/);
  });

  it("explain the reasons for which the alert fires, and no others", ({ expect }) => {
    const { expr = "" } = alerts.find(({ name }) => name === "ZonewardenZoneHeld") ?? {};
    const [, excluded = ""] = /reason!~"(.*?)"/.exec(expr) ?? [];
    expect(excluded.split("|")).toEqual(
      holdReasons.filter((reason) => holdFacts(reason).alert !== "ZonewardenZoneHeld"),
    );
  });

  it("explain every reason of a hold", ({ expect }) => {
    const text = readFileSync(path.join(deploy, "runbooks/ZonewardenZoneHeld.md"), "utf8");
    expect(holdReasons.filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
  });

  it.for(pages)("%s names only metrics that the program exports", (page, { expect }) => {
    const text = readFileSync(path.join(deploy, "runbooks", page), "utf8");
    const queries = [...text.matchAll(/```promql\n([^`]*)```/g)].map(([, query = ""]) => query);
    expect(
      queries.flatMap((query) => query.trim().split("\n")).flatMap((expr) => foreignNames(expr)),
    ).toEqual([]);
    expect(wordsNamingMetrics(text).flatMap((expr) => foreignNames(expr))).toEqual([]);
  });
});

/** Matches what a template of Prometheus can print. */
function templatePattern(template: unknown): RegExp {
  const text = typeof template === "string" ? template : "";
  const parts = text.split(/\{\{.*?\}\}/).map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(".+?")}$`);
}

/** Metrics in running text; after `^` stands the beginning of some, as a pattern for grep. */
function wordsNamingMetrics(text: string): readonly string[] {
  return [...text.matchAll(/(?<!\^)\bzonewarden_\w+/g)].map(([name]) => name);
}
