import { hasColor } from "../../host/host.ts";
import { StoredRuns } from "../../memory/stored-runs.ts";
import { openCommandState, type CommandState } from "../../memory/stored-state.ts";
import { adoptedAfter } from "../../reconcile/run/adopted-rules.ts";
import { plural } from "../../render/format.ts";
import { renderReports } from "../../render/plan-text.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { type AppliedZones, type ApplyFlags, applyZones } from "./apply-zones.ts";
import { plansToApply } from "./fleet-hold.ts";
import { planAll, type PlannedFleet, type PlannedFleetZone } from "./plan-all.ts";
import { finish } from "./print-reports.ts";
import type { Session } from "./session.ts";

/**
 * Takes ownership of what the files declare and what is live without our mark: one write for each policy, and a record in
 * the state for each rule, whose ref cannot change. Shows the plan, and asks before the first write.
 */
export async function adoptZones(flags: ApplyFlags, session: Session): Promise<ExitCode> {
  const { config, host, stop } = session;
  const state = await openCommandState(config, host);
  try {
    const fleet = await planAll({ ...flags, adoptOnly: true }, session);
    if (typeof fleet === "number") return fleet;
    const isShown = flags.format === "text" && host.isInteractive;
    if (isShown) printPlan(fleet, session);
    const rules = rulesIn(fleet);
    const isNothing = rules === 0 && plansToApply(fleet.zones).length === 0;
    const isAgreed =
      isNothing || flags.yes === true || (await host.confirm(questionOf(fleet), stop));
    if (!isAgreed) {
      host.stderr.write("nothing was written; --yes writes without asking\n");
      const planned = fleet.zones.map((zone) => zone.planned.report);
      return finish(fleet, [...planned, ...fleet.missing], exitCodes.held, flags.format, host);
    }
    const applied = await applyZones(fleet, session, { ...flags, yes: true });
    const { reports, code } = await remember(applied, fleet, state, session);
    return finish(fleet, reports, code, flags.format, host);
  } finally {
    await state.store?.[Symbol.asyncDispose]();
  }
}

function printPlan({ zones, missing }: PlannedFleet, { host }: Session): void {
  const reports = [...zones.map(({ planned }) => planned.report), ...missing];
  host.stdout.write(`${renderReports(reports, { color: hasColor(host, host.stdout) })}\n`);
}

function questionOf({ zones, declared }: PlannedFleet): string {
  const plans = plansToApply(zones);
  const writes = plans.reduce((sum, plan) => sum + plan.writes.length, 0);
  const rules = rulesIn({ zones });
  const touched = zones.filter((zone) => isTouched(zone)).length;
  const what = [
    ...(writes === 0 ? [] : [`${plural(writes, "policy")} (${plural(writes, "request")})`]),
    ...(rules === 0 ? [] : [`${plural(rules, "rule")} (no request)`]),
  ].join(" and ");
  return `Take ownership of ${what} in ${touched} of ${plural(declared, "zone")}: what you delete from the files later is deleted in the zones. Adopt?`;
}

function isTouched({ planned: { report } }: PlannedFleetZone): boolean {
  return report.result === "planned" || unownedRules(report) > 0;
}

function rulesIn({ zones }: Pick<PlannedFleet, "zones">): number {
  return zones.reduce((sum, { planned }) => sum + unownedRules(planned.report), 0);
}

function unownedRules(report: ZoneReport): number {
  if (report.result === "error" || report.result === "held") return 0;
  return report.plan.unowned.filter(({ kind }) => kind === "rule").length;
}

/** Stores the rules of the zones whose adoption succeeded; tells which could not be stored. */
async function remember(
  { reports, code }: AppliedZones,
  { zones }: PlannedFleet,
  state: CommandState,
  { config: { mode }, host }: Session,
): Promise<AppliedZones> {
  const declared = new Map(zones.map(({ declared: { desired } }) => [desired.zone.name, desired]));
  const runs = state.store === undefined ? undefined : new StoredRuns(state.store);
  let forgotten = 0;
  const after = reports.map((report) => {
    const desired = declared.get(report.zone);
    const wanted = unownedRules(report);
    if (report.result === "error" || desired === undefined || wanted === 0) return report;
    const known = runs?.adopted(report.zone) ?? [];
    const rules = adoptedAfter(report, { desired, mode, ownership: { adopt: true, rules: known } });
    const taken = report.plan.unowned.filter(({ id }) => rules.some((rule) => rule.id === id));
    if (runs === undefined || taken.length === 0) {
      forgotten += wanted;
      return report;
    }
    runs.setAdopted(report.zone, rules);
    const names = taken.map((each) => each.key).join(", ");
    const notes = [...report.plan.notes, `adopted without a request: ${names}`];
    const unowned = report.plan.unowned.filter((each) => !taken.includes(each));
    return { ...report, plan: { ...report.plan, unowned, adoptedRules: rules, notes } };
  });
  const isStored = state.store === undefined || (await state.store.flush());
  if (isStored && forgotten === 0) return { reports: after, code };
  host.stderr.write(`${whyNot(forgotten, state)}\n`);
  return {
    reports: isStored ? after : reports,
    code: code === exitCodes.done ? exitCodes.partial : code,
  };
}

function whyNot(forgotten: number, state: CommandState): string {
  if (state.store !== undefined && forgotten === 0) {
    return "the state cannot be written: no rule is adopted; free space, or correct the permissions";
  }
  const why =
    state.store === undefined ? state.why : "their zones may not be written, or were not applied";
  return `${plural(forgotten, "rule")} not adopted: ${why}. A running daemon adopts rules itself with desired.adopt: on_first_apply`;
}
