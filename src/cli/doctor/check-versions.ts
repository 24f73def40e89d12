import { versionInListing } from "../../api/read/ruleset-versions.ts";
import type { ServiceClient } from "../../host/connect.ts";
import type { DesiredFleet } from "../../reconcile/fleet/desired-fleet.ts";
import { partsOf } from "../../reconcile/run/plan-zone.ts";
import { plural } from "../../render/format.ts";
import { noParts } from "../../zone/ports.ts";
import { factsOf, type RulePhase } from "../../zone/rule-phase.ts";
import type { Zone } from "../../zone/zone.ts";
import type { Session } from "../session/session.ts";
import { type CheckFinding, failureOf, finding, fine, skipped } from "./finding.ts";

/** Zones that are compared at most. */
const maxSamples = 3;

interface VersionsPlace extends Pick<Session, "config" | "stop"> {
  readonly service: ServiceClient;
}

/** Whether the list of a zone's rulesets shows the versions that the entry points have, which `api.ruleset_versions` trusts. */
export async function checkVersions(
  fleet: DesiredFleet,
  place: VersionsPlace,
): Promise<CheckFinding> {
  const check = "ruleset_versions";
  const { stop, config } = place;
  const samples = [...fleet.zones.values()]
    .map(({ desired: { zone, content } }) => ({ zone, phases: partsOf(content).rules }))
    .filter(({ phases }) => phases.length > 0)
    // Those with the most lists have the most to save.
    .toSorted((a, b) => b.phases.length - a.phases.length)
    .slice(0, maxSamples);
  if (samples.length === 0) return fine(check, "no zone declares rules");
  const { rulesetVersions } = config.api;
  const differing: string[] = [];
  try {
    for (const { zone, phases } of samples) {
      const found = await differingOf(zone, phases, place);
      differing.push(...found.map((phase) => `${zone.name} ${factsOf(phase).wire}`));
    }
  } catch (error) {
    stop.throwIfAborted();
    const failure = failureOf(error);
    if (rulesetVersions === "read") return skipped(check, failure.message);
    return finding(check, "warning", failure);
  }
  if (differing.length > 0) {
    const message = `the list of rulesets shows another version than the entry point: ${differing.join(", ")}`;
    const remedy = "set api.ruleset_versions to read";
    if (rulesetVersions === "trust") return finding(check, "error", { message, remedy });
    return fine(check, `${message}; api.ruleset_versions must stay read`);
  }
  const lists = samples.reduce((sum, { phases }) => sum + phases.length, 0);
  const where = `${plural(lists, "entry point")} of ${plural(samples.length, "zone")}`;
  const setting =
    rulesetVersions === "trust"
      ? "as api.ruleset_versions: trust needs it"
      : "api.ruleset_versions: trust would save requests";
  return fine(check, `the list of rulesets shows the version of ${where}: ${setting}`);
}

/** The phases whose entry point has another version than the list shows, also when both are read once more: an edit may come between. */
async function differingOf(
  zone: Zone,
  rules: readonly RulePhase[],
  { service: { reader, rulesets }, stop }: VersionsPlace,
): Promise<readonly RulePhase[]> {
  const compare = async (phases: readonly RulePhase[]): Promise<readonly RulePhase[]> => {
    const parts = { ...noParts, rules: phases };
    const read = (await reader.readAnswers(zone, parts, "changed", stop)).rules?.();
    const heads = await rulesets.list({ level: "zone", zone }, stop);
    return phases.filter(
      (phase) => read?.entrypoints.get(phase)?.version !== versionInListing(heads, phase),
    );
  };
  const differing = await compare(rules);
  return differing.length === 0 ? [] : await compare(differing);
}
