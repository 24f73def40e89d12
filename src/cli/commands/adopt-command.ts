import { hasColor } from "../../host/host.ts";
import type { AdoptedRule } from "../../plan/ownership.ts";
import { adoptedAfter } from "../../reconcile/run/adopted-rules.ts";
import { plural } from "../../render/format.ts";
import { renderReports } from "../../render/plan-text.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { sum } from "../../syntax/sum.ts";
import { isRuleKind } from "../../zone/resource.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import {
  acceptedHashes,
  type AppliedZones,
  type ApplyFlags,
  applyZones,
} from "../session/apply-zones.ts";
import {
  type CommandStore,
  type NoCommandStore,
  openCommandStore,
} from "../session/command-store.ts";
import { planAll, type PlannedFleet } from "../session/plan-all.ts";
import { finish } from "../session/print-reports.ts";
import { type Session, withSession } from "../session/session.ts";

export const defineAdopt: DefineCommand = (command, host) => {
  command
    .argument("[zones...]", "only these zones (names; * matches anything)")
    .selector()
    .configFile()
    .formats("text", "json", "markdown")
    .quiet()
    .verbose()
    .option(
      "--accept <hash>",
      "adopt in a freeze, by the hash of a plan; can be repeated",
      acceptedHashes,
    )
    .option(
      "--yes",
      "write without asking; without it, adopt asks on a terminal, and writes nothing elsewhere",
    )
    .examples(
      "zonewarden plan    # says what is declared and unmanaged",
      "zonewarden adopt shop.example.com",
      "zonewarden adopt --yes '*.example.com'    # one request for each policy, none for rules",
    )
    .runs((zones: readonly string[], options: Omit<ApplyFlags, "zones">) =>
      withSession(options, host, (session) => adoptZones({ ...options, zones }, session)),
    );
};

/**
 * Takes ownership of what the files declare and what is live without our mark: one write for each policy, and a record in
 * the state for each rule, whose ref cannot change. Shows the plan, and asks before the first write.
 */
export async function adoptZones(flags: ApplyFlags, session: Session): Promise<ExitCode> {
  const { config, host, stop } = session;
  await using opened = await openCommandStore(config, host, stop);
  const fleet = await planAll({ ...flags, adoptOnly: true }, session);
  if (typeof fleet === "number") return fleet;
  const { reports } = fleet;
  if (flags.format === "text" && host.isInteractive) {
    const color = hasColor(host, host.stdout);
    host.stdout.write(`${renderReports(reports, { color, verbose: flags.verbose })}\n`);
  }
  const isNothing = reports.every((report) => !isTouched(report));
  const isAgreed = isNothing || flags.yes === true || (await host.confirm(questionOf(fleet), stop));
  if (!isAgreed) {
    host.stderr.write("nothing was written; --yes writes without asking\n");
    return finish(fleet, reports, exitCodes.held, flags, host);
  }
  const applied = await applyZones(fleet, session, { ...flags, yes: true });
  const { reports: after, code } = await remember(applied, fleet, opened, session);
  return finish(fleet, after, code, flags, host);
}

function questionOf({ reports, declared }: PlannedFleet): string {
  const planned = reports.filter((report) => report.result === "planned");
  const writes = sum(planned.map(({ plan }) => plan.writes.length));
  const rules = sum(reports.map(unownedRules));
  const what = [
    ...(writes === 0 ? [] : [`${plural(writes, "policy")} (${plural(writes, "request")})`]),
    ...(rules === 0 ? [] : [`${plural(rules, "rule")} (no request)`]),
  ].join(" and ");
  const touched = reports.filter(isTouched).length;
  return `Take ownership of ${what} in ${touched} of ${plural(declared, "zone")}: what you delete from the files later is deleted in the zones. Adopt?`;
}

function isTouched(report: ZoneReport): boolean {
  return report.result === "planned" || unownedRules(report) > 0;
}

function unownedRules(report: ZoneReport): number {
  if (report.result === "error" || report.result === "held") return 0;
  return report.plan.unowned.filter(({ kind }) => isRuleKind(kind)).length;
}

/** Stores the rules of the zones whose adoption succeeded; tells which could not be stored. */
async function remember(
  { reports, code }: AppliedZones,
  { zones }: PlannedFleet,
  opened: CommandStore | NoCommandStore,
  { config: { mode }, host }: Session,
): Promise<AppliedZones> {
  const declared = new Map(zones.map(({ declared: { desired } }) => [desired.zone.name, desired]));
  const adopted = new Map<ZoneName, readonly AdoptedRule[]>();
  let forgotten = 0;
  let takenCount = 0;
  const after = reports.map((report) => {
    const desired = declared.get(report.zone);
    const wanted = unownedRules(report);
    if (report.result === "error" || desired === undefined || wanted === 0) return report;
    const known = "why" in opened ? [] : opened.stored.adopted(report.zone);
    const rules = adoptedAfter(report, desired, mode, { adopt: true, rules: known });
    const taken = report.plan.unowned.filter(({ id }) => rules.some((rule) => rule.id === id));
    if ("why" in opened || taken.length === 0) {
      forgotten += wanted;
      return report;
    }
    adopted.set(report.zone, rules);
    takenCount += taken.length;
    const names = taken.map((each) => each.key).join(", ");
    const notes = [...report.plan.notes, `adopted without a request: ${names}`];
    const unowned = report.plan.unowned.filter((each) => !taken.includes(each));
    return { ...report, plan: { ...report.plan, unowned, adoptedRules: rules, notes } };
  });
  const stored =
    "why" in opened || adopted.size === 0
      ? undefined
      : await opened.store({ adopted, weakened: new Map(), used: [] });
  const why = "why" in opened ? opened.why : stored;
  if (forgotten === 0 && (why === undefined || adopted.size === 0)) return { reports: after, code };
  const count = why === undefined ? forgotten : forgotten + takenCount;
  const reason = why ?? "their zones may not be written, or were not applied";
  host.stderr.write(
    `${plural(count, "rule")} not adopted: ${reason}. A running daemon adopts rules itself with desired.adopt: on_first_apply\n`,
  );
  return {
    reports: why === undefined ? after : reports,
    code: code === exitCodes.done ? exitCodes.partial : code,
  };
}
