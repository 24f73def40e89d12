import type { Config } from "../../desired/config/config.ts";
import type { DesiredState } from "../../desired/load/zone-file-loader.ts";
import { selectZones } from "../../desired/zones/select.ts";
import { guard } from "../../plan/guard/guard.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import { partsTouched } from "../../plan/saved/fingerprint.ts";
import { wantedOf } from "../../reconcile/run/plan-zone.ts";
import { guardInputOf } from "../../reconcile/run/zone-runner.ts";
import { windowsOf } from "../../reconcile/schedule/windows.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { Zone } from "../../zone/zone.ts";

/** Says why a saved plan must not be carried out now. Empty means: go ahead. */
export type SavedPlanGuard = (plan: Plan, now: Date) => readonly Hold[];

/**
 * Judges plans that could be carried out when they were made: files, limits and windows may have changed since. A plan is
 * judged whole, as it was reviewed, since that is what its hash names.
 *
 * @param zones those of the plans: whom selectors mean is told by what was known then, the listing is not asked again.
 */
export function savedPlanGuard(
  zones: readonly Zone[],
  { documents }: DesiredState,
  { mode, limits, windows }: Config,
): SavedPlanGuard {
  const selection = selectZones(documents, { zones, unlisted: [] });
  const declared = new Map(selection.zones.map((desired) => [desired.zone.id, desired]));
  const options = { mode, limits, windows: windowsOf(windows), used: [] };
  return (plan, now) => {
    const { id, name } = plan.zone;
    const desired = declared.get(id);
    if (desired === undefined) return [undeclared(name, selection.leftAlone.get(name))];
    const dropped = partsDropped(plan, desired.content).join(" and ");
    if (dropped !== "") return [undeclared(`the ${dropped} of ${name}`, undefined)];
    return guard(plan, guardInputOf(desired, options, now));
  };
}

/** What a plan writes of a zone that the files do not speak of any more. */
function partsDropped(plan: Plan, content: ZoneContent): readonly string[] {
  const [touched, wanted] = [partsTouched(plan), wantedOf(content)];
  return (["settings", "policies", "rules"] as const).filter(
    (part) => touched[part] && !wanted[part],
  );
}

/** @param diagnostic what is wrong with the declaration, where there is one. */
function undeclared(what: string, diagnostic: Diagnostic | undefined): Hold {
  const message =
    diagnostic === undefined
      ? `the files no longer declare ${what}: nothing is written; declare it again, or make a new plan`
      : `${diagnostic.place.file}:${diagnostic.place.line}: ${diagnostic.message}; ${diagnostic.remedy}`;
  return { reason: "undeclared", message };
}
