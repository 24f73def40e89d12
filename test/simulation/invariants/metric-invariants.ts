import type { EmulatedZone } from "../../../src/emulator/state.ts";
import { renderZones } from "../../../src/telemetry/metrics/zone-families.ts";
import type { RulePhase } from "../../../src/zone/rule-phase.ts";
import type { DeclaredContent } from "../declared.ts";
import type { Invariant, Truth } from "./invariant.ts";
import {
  customRulesetsOf,
  foreignRulesIn,
  foreignRulesOf,
  keyOfMarked,
  rulesOf,
} from "./oracle.ts";

/** A sweep was less long ago. */
const lookedWithinSeconds = 900;

/** Metrics that have nothing to tell of a zone that is as declared. */
const quietMetrics = [
  "drift_resources",
  "pending_changes",
  "cause_unknown_changes",
  "zone_held",
  "zone_consecutive_failures",
];

export const metricInvariants: readonly Invariant[] = [
  {
    name: "metrics-are-true",
    sentence:
      "At rest, the metrics show every zone as in sync just now, and count what is not ours.",
    atRest: (truth) => {
      const { main, zones } = truth;
      const series = seriesIn([...renderZones(main.term?.fleet.zones ?? [])].join(""));
      for (const zone of zones) {
        const wrong = wrongSeries(zone, series, truth);
        if (wrong !== undefined) return `${wrong} is ${series.get(wrong)}`;
      }
      return undefined;
    },
  },
];

/** A series of a zone that says something else than the truth. */
function wrongSeries(
  zone: EmulatedZone,
  series: ReadonlyMap<string, number>,
  { ledger, wall }: Truth,
): string | undefined {
  const named = `{zone="${zone.name}"`;
  const all = [...series].filter(([name]) => name.includes(named));
  const inSync = `zonewarden_zone_status${named},status="in_sync"}`;
  const loud = all.find(
    ([name, value]) =>
      value !== 0 &&
      (quietMetrics.some((metric) => isMetric(name, metric)) ||
        (isMetric(name, "zone_status") && name !== inSync)),
  );
  if (series.get(inSync) !== 1) return inSync;
  if (loud !== undefined) return loud[0];
  const looked = `zonewarden_zone_last_success_timestamp_seconds${named}}`;
  const ageSeconds = Number(wall) / 1_000 - (series.get(looked) ?? 0);
  if (ageSeconds < 0 || ageSeconds > lookedWithinSeconds) return looked;
  const declared = ledger.declaredNow(zone.name);
  const strangers = {
    policy: declared?.policies && zone.policies.filter((each) => keyOfMarked(each) === undefined),
    custom_rule: foreignCustomRules(zone, declared),
    custom_ruleset: declared?.rulesets && executedOfOthers(zone),
    rate_limiting_rule: foreignIn(zone, "rate_limiting_rules", declared),
    managed_rule: foreignIn(zone, "managed_rules", declared),
  };
  return Object.entries(strangers)
    .filter(([, found]) => found !== undefined)
    .map(([kind, found]) => ({
      name: `zonewarden_unmanaged_resources${named},kind="${kind}"}`,
      count: found?.length,
    }))
    .find(({ name, count }) => (series.get(name) ?? 0) !== count)?.name;
}

/** The rules of others in a phase; `undefined` where it is not declared. */
function foreignIn(
  zone: EmulatedZone,
  phase: RulePhase,
  declared: DeclaredContent | undefined,
): readonly unknown[] | undefined {
  if (declared?.rules[phase] === undefined) return undefined;
  return foreignRulesOf(zone, phase);
}

/** Of the rules in custom rulesets, those that are in ours. */
function foreignCustomRules(
  zone: EmulatedZone,
  declared: DeclaredContent | undefined,
): readonly unknown[] | undefined {
  const inEntryPoint = foreignIn(zone, "custom_rules", declared);
  if (declared?.rulesets === undefined) return inEntryPoint;
  const ours = customRulesetsOf(zone).filter((each) => keyOfMarked(each) !== undefined);
  return [...(inEntryPoint ?? []), ...ours.flatMap(foreignRulesIn)];
}

/** The custom rulesets of others that the zone executes. */
function executedOfOthers(zone: EmulatedZone): readonly unknown[] {
  const executed = rulesOf(zone, "custom_rules").map((rule) => rule.action_parameters?.["id"]);
  return customRulesetsOf(zone).filter(
    (each) => keyOfMarked(each) === undefined && executed.includes(each.id),
  );
}

function isMetric(name: string, metric: string): boolean {
  return name.startsWith(`zonewarden_${metric}{`);
}

function seriesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}
