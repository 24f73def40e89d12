import { versionInListing } from "../../api/read/ruleset-versions.ts";
import type { DesiredFleet } from "../../reconcile/fleet/desired-fleet.ts";
import { partsOf } from "../../reconcile/run/plan-zone.ts";
import { plural } from "../../render/format.ts";
import { noParts, type PartsToRead } from "../../zone/ports.ts";
import { factsOfPhase } from "../../zone/rule-phase.ts";
import type { RulesPart } from "../../zone/write.ts";
import type { Zone } from "../../zone/zone.ts";
import type { Session } from "../session/session.ts";
import { type CheckFinding, failureOf, finding, fine, skipped } from "./finding.ts";

/** Zones that are compared at most. */
const maxSamples = 3;

type VersionsPlace = Pick<Session, "config" | "service" | "stop">;

/** Whether the list of a zone's rulesets shows the versions that the entry points and custom rulesets have, which `api.ruleset_versions` trusts. */
export async function checkVersions(
  fleet: DesiredFleet,
  place: VersionsPlace,
): Promise<CheckFinding> {
  const check = "ruleset_versions";
  const { stop, config } = place;
  const samples = [...fleet.zones.values()]
    .map(({ desired: { zone, content } }): Sample => {
      const { rules, customRulesets } = partsOf(content, config.desired.owner);
      return { zone, parts: { ...noParts, rules, customRulesets } };
    })
    .filter(({ parts }) => listsIn(parts).length > 0)
    // Those with the most lists have the most to save.
    .toSorted((a, b) => listsIn(b.parts).length - listsIn(a.parts).length)
    .slice(0, maxSamples);
  if (samples.length === 0) return fine(check, "no zone declares rules");
  const { rulesetVersions } = config.api;
  const differing: string[] = [];
  try {
    for (const sample of samples) {
      const found = await differingOf(sample, place);
      const names = found.map((part) =>
        part === "custom_rulesets" ? "custom rulesets" : factsOfPhase(part).wire,
      );
      differing.push(...names.map((name) => `${sample.zone.name} ${name}`));
    }
  } catch (error) {
    stop.throwIfAborted();
    const failure = failureOf(error);
    if (rulesetVersions === "read") return skipped(check, failure.message);
    return finding(check, "warning", failure);
  }
  if (differing.length > 0) {
    const message = `the list of rulesets shows another version than the ruleset itself: ${differing.join(", ")}`;
    const remedy = "set api.ruleset_versions to read";
    if (rulesetVersions === "trust") return finding(check, "error", { message, remedy });
    return fine(check, `${message}; api.ruleset_versions must stay read`);
  }
  const lists = samples.reduce((sum, { parts }) => sum + parts.rules.length, 0);
  const custom = samples.some(({ parts }) => parts.customRulesets !== undefined);
  const what = `${plural(lists, "entry point")}${custom ? " and the custom rulesets" : ""}`;
  const where = `${what} of ${plural(samples.length, "zone")}`;
  const setting =
    rulesetVersions === "trust"
      ? "as api.ruleset_versions: trust needs it"
      : "api.ruleset_versions: trust would save requests";
  return fine(check, `the list of rulesets shows the version of ${where}: ${setting}`);
}

interface Sample {
  readonly zone: Zone;
  readonly parts: PartsToRead;
}

function listsIn({ rules, customRulesets }: PartsToRead): readonly RulesPart[] {
  return customRulesets === undefined ? rules : [...rules, "custom_rulesets"];
}

/** The lists of rules that have another version than the list shows, also when all are read once more: an edit may come between. */
async function differingOf(
  { zone, parts }: Sample,
  { service: { reader, rulesets }, stop }: VersionsPlace,
): Promise<readonly RulesPart[]> {
  const compare = async (): Promise<readonly RulesPart[]> => {
    const read = (await reader.readAnswers(zone, parts, "changed", stop)).rules?.();
    const heads = await rulesets.list({ level: "zone", zone }, stop);
    return listsIn(parts).filter(
      (part) => read?.entrypoints.get(part)?.version !== versionInListing(heads, part),
    );
  };
  const differing = await compare();
  if (differing.length === 0) return [];
  const again = await compare();
  return differing.filter((part) => again.includes(part));
}
