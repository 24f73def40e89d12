import type { Json, JsonObject } from "../../src/syntax/json.ts";
import { objectAt, objectsIn, textAt } from "./rules.ts";

/** A rule file with one alert spoilt. */
export interface Mutant {
  readonly alert: string;
  /** What was done to it. */
  readonly how: string;
  readonly rules: JsonObject;
}

interface Mutation {
  readonly how: string;
  readonly fits: (alert: JsonObject) => boolean;
  readonly apply: (alert: JsonObject) => JsonObject;
}

const mutations: readonly Mutation[] = [
  { how: "never fires", fits: all, apply: (alert) => ({ ...alert, expr: "vector(0) > 1" }) },
  {
    how: "always fires",
    fits: all,
    apply: (alert) => ({ ...alert, expr: "vector(1)", for: "0s" }),
  },
  { how: "for 0", fits: waits, apply: (alert) => ({ ...alert, for: "0s" }) },
  { how: "for 48h", fits: all, apply: (alert) => ({ ...alert, for: "48h" }) },
  { how: "severity swapped", fits: all, apply: withOtherSeverity },
  { how: "one tick sooner", fits: waits, apply: (alert) => withWait(alert, -1) },
  { how: "one tick later", fits: waits, apply: (alert) => withWait(alert, 1) },
  { how: "last number doubled", fits: hasNumber, apply: (alert) => withNumber(alert, 2) },
  { how: "last number halved", fits: hasNumber, apply: (alert) => withNumber(alert, 0.5) },
  { how: "comparison turned", fits: compares, apply: turned },
];

/** Every alert of a rule file spoilt in every way that fits it, one at a time. */
export function mutantsOf(file: JsonObject): readonly Mutant[] {
  const groups = objectsIn(file["groups"]);
  return groups.flatMap((group, groupAt) =>
    objectsIn(group["rules"]).flatMap((rule, ruleAt) => {
      if (!("alert" in rule)) return [];
      return mutations
        .filter(({ fits }) => fits(rule))
        .map(({ how, apply }) => ({
          alert: textAt(rule, "alert"),
          how,
          rules: { ...file, groups: replaced(groups, groupAt, spoilt(group, ruleAt, apply(rule))) },
        }));
    }),
  );
}

function spoilt(group: JsonObject, at: number, rule: JsonObject): JsonObject {
  return { ...group, rules: replaced(objectsIn(group["rules"]), at, rule) };
}

function replaced(list: readonly JsonObject[], at: number, item: JsonObject): readonly Json[] {
  return list.map((other, position) => (position === at ? item : other));
}

function all(): boolean {
  return true;
}

function waits(alert: JsonObject): boolean {
  return textAt(alert, "for") !== "";
}

function withOtherSeverity(alert: JsonObject): JsonObject {
  const severity =
    textAt(objectAt(alert, "labels"), "severity") === "critical" ? "warning" : "critical";
  return { ...alert, labels: { severity } };
}

function withWait(alert: JsonObject, minutes: number): JsonObject {
  const [, amount = "0", unit = "m"] = /^(\d+)([mh])$/.exec(textAt(alert, "for")) ?? [];
  return { ...alert, for: `${Number(amount) * (unit === "h" ? 60 : 1) + minutes}m` };
}

/** A number that is neither part of a name nor of a range nor 0, which has no double. */
const lastNumber =
  /(?<![\w.[])(?!0(?![.\d]))(\d+(?:\.\d+)?)(?![\w.\]"])(?!.*(?<![\w.[])(?!0(?![.\d]))\d+(?:\.\d+)?(?![\w.\]"]))/s;

function hasNumber(alert: JsonObject): boolean {
  return lastNumber.test(textAt(alert, "expr"));
}

function withNumber(alert: JsonObject, factor: number): JsonObject {
  const expr = textAt(alert, "expr").replace(lastNumber, (found) => String(Number(found) * factor));
  return { ...alert, expr };
}

const opposite: Readonly<Record<string, string>> = { ">": "<=", "<": ">=", ">=": "<", "==": "!=" };

const lastComparison = /(?<= )(>=|==|<|>)(?= )(?!.* (?:>=|==|<|>) )/s;

function compares(alert: JsonObject): boolean {
  return lastComparison.test(textAt(alert, "expr"));
}

function turned(alert: JsonObject): JsonObject {
  const expr = textAt(alert, "expr").replace(lastComparison, (found) => opposite[found] ?? found);
  return { ...alert, expr };
}
