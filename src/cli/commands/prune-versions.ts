import { selectZones } from "../../desired/zones/select.ts";
import { loadDesiredOrPrint } from "../../host/load.ts";
import { writeHolds } from "../../plan/guard/guard.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { desiredFleet, joinListings } from "../../reconcile/fleet/desired-fleet.ts";
import { windowsOf } from "../../reconcile/schedule/windows.ts";
import { plural } from "../../render/format.ts";
import type { Zone } from "../../zone/zone.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import type { Session } from "../session/session.ts";
import type { FoundRuleset, RulesetFlags } from "./ruleset-lookup.ts";

export interface PruneFlags extends RulesetFlags {
  readonly keep: string;
  readonly yes?: boolean;
}

/** Deletes all versions but the newest, after a confirmation; nothing while a hold is on writes to the zone. */
export async function pruneVersions(
  { scope, id }: FoundRuleset,
  { keep, yes = false }: PruneFlags,
  session: Session,
): Promise<ExitCode> {
  const { service, host, stop } = session;
  const versions = await service.rulesets.versions(scope, id, stop);
  const old = versions.slice(0, Math.max(0, versions.length - Number(keep)));
  const [first, last] = [old[0]?.version, old.at(-1)?.version];
  if (first === undefined || last === undefined) {
    host.stdout.write(
      `nothing to delete: the ruleset has ${plural(versions.length, "version")}, and --keep is ${keep}\n`,
    );
    return exitCodes.done;
  }
  const holdsNow = await holdsOn(scope.zone, session);
  if (holdsNow === undefined) return exitCodes.invalid;
  const holds = holdsNow();
  if (holds.length > 0) {
    return fail(`nothing was deleted: ${textOf(holds)}`, host, exitCodes.held);
  }
  const what = `${old.length} of ${plural(versions.length, "version")} of ${id} (${first} to ${last})`;
  if (!yes && !(await host.confirm(`Delete ${what}? This cannot be undone.`, stop))) {
    return fail(`nothing was deleted; --yes deletes ${what} without asking`, host, exitCodes.held);
  }
  for (const [done, { version }] of old.entries()) {
    // A freeze can begin, for example while the command waits for an answer or for the request budget.
    const late = holdsNow();
    if (late.length > 0) {
      return fail(`deleted ${done} of ${old.length}: ${textOf(late)}`, host, exitCodes.held);
    }
    await service.pruner.prune(scope, id, version, stop);
  }
  host.stdout.write(`deleted ${what}\n`);
  return exitCodes.done;
}

/** Tells what holds writes to a zone, at each moment; `undefined` if the zone files have errors, which are printed. */
async function holdsOn(
  { id, name }: Zone,
  { config, service, host, stop }: Session,
): Promise<(() => readonly Hold[]) | undefined> {
  const state = await loadDesiredOrPrint(config, host, stop);
  if (state === undefined) return undefined;
  const listing = await service.reader.listZones(stop);
  const fleet = desiredFleet(selectZones, state, joinListings(undefined, listing));
  const declared = fleet.zones.get(name)?.desired;
  const windows = windowsOf(config.windows);
  return () => {
    const now = host.clock.now();
    const isDeclared = declared?.zone.id === id;
    const content = isDeclared ? declared.content : undefined;
    const mode = content?.mode === "observe" ? "observe" : config.mode;
    const { suspension } = content ?? { suspension: undefined };
    const holds = writeHolds({ mode, suspension, freeze: windows.freezeAt(now), now });
    return isDeclared ? holds : [...holds, undeclared(name)];
  };
}

function undeclared(name: string): Hold {
  const message = `the files do not declare ${name}: nothing is written; declare the zone`;
  return { reason: "undeclared", message };
}

function textOf(holds: readonly Hold[]): string {
  return holds.map(({ reason, message }) => `held by ${reason}: ${message}`).join("\n");
}
