import { plural, printable, valueText } from "../../render/format.ts";
import type { Table } from "../../render/inventory-formats.ts";
import type { RuleDiff } from "../../render/ruleset-diff.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { Ruleset, RulesetHead, RulesetRule } from "../../zone/ruleset.ts";

export function headJson({
  id,
  name,
  description,
  kind,
  phase,
  version,
  lastUpdated,
}: RulesetHead): JsonObject {
  return { id, name, description, kind, phase, version, last_updated: lastUpdated };
}

export function headTable(heads: readonly RulesetHead[]): Table {
  return {
    head: ["name", "kind", "phase", "version", "id"],
    rows: heads.map(({ name, kind, phase, version, id }) =>
      [name, kind, phase, version, id].map(printable),
    ),
  };
}

export function versionTable(heads: readonly RulesetHead[]): Table {
  return {
    head: ["version", "last updated", "description"],
    rows: heads.map(({ version, lastUpdated, description }) =>
      [version, lastUpdated, description].map(printable),
    ),
  };
}

/** @param shown how many of the rules are printed below. */
export function headText({ name, id, version, phase, rules }: Ruleset, shown: number): string {
  const all = plural(rules.length, "rule");
  const count = shown === rules.length ? all : `${shown} of ${all}`;
  return printable(`${name}, version ${version}, ${phase}, ${count} (${id})`);
}

export function ruleTable(rules: readonly RulesetRule[]): Table {
  return {
    head: ["description", "action", "enabled", "categories or expression", "id"],
    rows: rules.map((rule) =>
      [
        rule.description,
        rule.action,
        rule.enabled ? "yes" : "no",
        rule.categories.length > 0 ? rule.categories.join(" ") : rule.expression,
        rule.id,
      ].map(printable),
    ),
  };
}

export function diffJson(
  ruleset: string,
  before: Ruleset,
  after: Ruleset,
  diffs: readonly RuleDiff[],
): JsonObject {
  const changes = diffs.map(({ verb, rule, place, fields }) => ({
    verb,
    place,
    rule: rule.wire,
    fields: fields.map((each) => ({
      field: each.field,
      before: each.before ?? null,
      after: each.after ?? null,
    })),
  }));
  return { ruleset, before: before.version, after: after.version, changes };
}

const diffSigns = { added: "+", removed: "-", changed: "~", moved: "⇅" } as const;

export function diffText(before: Ruleset, after: Ruleset, diffs: readonly RuleDiff[]): string {
  const count = diffs.length === 0 ? "no rule differs" : plural(diffs.length, "difference");
  const lines = diffs.flatMap(({ verb, rule, place, fields }) => {
    const name = printable(rule.description === "" ? rule.ref : rule.description);
    return [
      `  ${diffSigns[verb]} ${verb}, place ${place}: ${name} (${rule.id})`,
      ...fields.map((each) => {
        const values = `${valueText(each.before)} → ${valueText(each.after)}`;
        return `      ${each.field}: ${values}`;
      }),
    ];
  });
  return [`version ${before.version} → ${after.version}: ${count}`, ...lines].join("\n");
}
