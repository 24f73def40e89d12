import type { KeyObject } from "node:crypto";

import { forecastOf } from "../../daemon/sweep-schedule.ts";
import type { Host } from "../../host/host.ts";
import type { ZoneImpact } from "../../impact/zone-impact.ts";
import { savedPlan } from "../../plan/saved/saved-plan.ts";
import { type FleetLimits, planToJudge } from "../../reconcile/fleet/fleet-guard.ts";
import { type ImpactSource, readZoneImpact } from "../../reconcile/inventory/read-impact.ts";
import { plural } from "../../render/format.ts";
import { fleetHoldText, type HeldFleet } from "../../render/held-fleet.ts";
import { planFileText } from "../../render/plan-file.ts";
import { renderMarkdown } from "../../render/plan-markdown.ts";
import type { Ruleset } from "../../zone/ruleset.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodeOfPlan, exitCodes, fail } from "../output/exit-codes.ts";
import { isWritten } from "../output/files.ts";
import { startProgress } from "../output/progress.ts";
import { heldFleet } from "../session/fleet-hold.ts";
import { isMatch } from "../session/listing.ts";
import { type FleetFlags, planAll, type PlannedFleet } from "../session/plan-all.ts";
import { readSigningKey } from "../session/plan-keys.ts";
import { finish, reportOf } from "../session/print-reports.ts";
import { type Session, withSession } from "../session/session.ts";

export const definePlan: DefineCommand = (command, host) => {
  command
    .argument("[zones...]", "only these zones (names; * matches anything)")
    .selector()
    .configFile()
    .formats("text", "json", "markdown")
    .option("-o, --out <file>", "save the plan for apply --plan; - for stdout")
    .option(
      "--full <file>",
      "also write the whole plan as Markdown, which a comment may be too short for",
    )
    .option("--sign-key <file>", "sign the saved plan with this Ed25519 private key (PEM)")
    .option(
      "--changed-since <ref>",
      "only zones whose declaration differs from that of a Git revision",
    )
    .option("--paths <patterns...>", "only zones that come from these files (* matches anything)")
    .option("--no-audit", "do not ask the audit log who made drift")
    .quiet()
    .verbose()
    .option("-w, --watch", "plan again when the zone files change, until Ctrl-C")
    .option("--impact", "print what the plan does to scripts, connections and managed rules")
    .examples(
      "zonewarden plan",
      "zonewarden plan '*.example.com'",
      "zonewarden plan shop.example.com --impact",
      "zonewarden plan --changed-since origin/main",
      "zonewarden plan --paths 'zones/shops/*'",
      "zonewarden plan --watch shop.example.com",
      "zonewarden plan --out plan.json    # exits with 2 when there are changes",
      "zonewarden apply --plan plan.json",
      "zonewarden plan --out plan.json --sign-key sign.pem",
      "zonewarden plan --format json | jq .summary",
      "zonewarden plan --format markdown --full plan.md > comment.md",
    )
    .runs((zones: readonly string[], options: Omit<PlanFlags, "zones">) => {
      if (options.signKey !== undefined && options.out === undefined) {
        command.error("error: --sign-key signs a saved plan: add --out");
      }
      const yaml = [options.out, options.full].find((file) => /\.ya?ml$/i.test(file ?? ""));
      if (yaml !== undefined) {
        command.error(
          `error: ${yaml}: a saved plan is no YAML, and could take the place of a zone file: name another file`,
        );
      }
      const isPrinted = options.format === "text" && (options.out ?? options.full) === undefined;
      if (options.watch === true && !isPrinted) {
        command.error(
          "error: --watch prints text for a person: leave out --out, --full and --format",
        );
      }
      return runPlan({ ...options, zones }, host);
    });
};

interface PlanFlags extends FleetFlags {
  readonly out?: string;
  readonly full?: string;
  readonly signKey?: string;
  readonly impact?: boolean;
  readonly watch?: boolean;
}

async function runPlan(flags: PlanFlags, host: Host): Promise<ExitCode> {
  const { signKey, watch = false } = flags;
  const signing = signKey === undefined ? undefined : await readSigningKey(signKey, host);
  if (typeof signing === "string") return fail(signing, host, exitCodes.invalid);
  return withSession(flags, host, async (session) => {
    if (watch) return watchPlan(flags, session);
    const fleet = await planAll({ ...flags, onlyReads: true }, session);
    return typeof fleet === "number" ? fleet : printPlan(fleet, flags, session, signing);
  });
}

/** Plans again after each change of the files. Reads only the zones whose declaration changed. */
async function watchPlan(flags: PlanFlags, session: Session): Promise<ExitCode> {
  // A plan that is made once needs none of what watches files.
  const roundsOnChange = (await import("../session/watch-files.ts")).roundsOnChange;
  let before: PlannedFleet | undefined;
  return roundsOnChange(async (isFirst) => {
    const { host } = session;
    if (!isFirst) host.stdout.write(`\n${separator(host.clock.now())}\n\n`);
    // The authors of drift would be the same, and cost requests.
    const more = isFirst ? {} : { audit: false };
    const fleet = await planAll({ ...flags, ...more, onlyReads: true, before }, session);
    if (typeof fleet === "number") {
      host.stdout.write("No plan.\n");
      return fleet;
    }
    before = fleet;
    return printPlan(fleet, flags, session, undefined);
  }, session);
}

function separator(at: Date): string {
  return `${"─".repeat(8)} ${at.toISOString().slice(11, 19)} UTC ${"─".repeat(40)}`;
}

/** The file of `--out` that is no file: nothing else is printed there. */
const stdoutName = "-";

/** Saves the plan where it is asked for, and prints it. */
export async function printPlan(
  fleet: PlannedFleet,
  { out, full, impact = false, ...flags }: PlanFlags,
  session: Session,
  signingKey: KeyObject | undefined,
): Promise<ExitCode> {
  const { reports } = fleet;
  const stored = heldByDaemon(fleet, flags, session);
  const held = stored ?? heldTogether(fleet, session.config.limits);
  const declared = fleet.zones.map((each) => each.declared.desired);
  const extras = {
    unread: flags.changedSince === undefined ? fleet.unread : undefined,
    impacts: impact ? await readImpacts(fleet, session) : undefined,
    sweep: forecastOf(declared, session.service, session.config.api.rulesetVersions),
    heldFleet: held,
    dropped: fleet.change?.dropped ?? stored?.zones.filter((name) => !isDeclared(name, fleet)),
    isReviewed: true,
  };
  const { host } = session;
  const printed = out === stdoutName ? { ...host, stdout: host.stderr } : host;
  const report = reportOf(fleet, reports, host);
  const isSaved =
    (out === undefined || (await savePlan(out, signingKey, fleet, session))) &&
    (full === undefined ||
      (await isWritten(full, host, (to) =>
        host.namedFiles.save(to, renderMarkdown(report, extras, Infinity).text),
      )));
  const code = isSaved ? exitCodeOfPlan(reports, held) : exitCodes.failed;
  return finish(fleet, reports, code, flags, printed, extras);
}

/**
 * The revision that the daemon holds, as far as it touches zones of this command. Where these files are others, the daemon has
 * not judged them: then the hold is told, and no more.
 */
function heldByDaemon(
  fleet: PlannedFleet,
  { zones: patterns }: Pick<PlanFlags, "zones">,
  { config, host }: Session,
): HeldFleet | undefined {
  const { held, change } = fleet;
  if (held === undefined || change !== undefined || config.limits.accept.includes(held.hash)) {
    return undefined;
  }
  const planned = new Set(fleet.reports.map(({ zone }) => zone));
  const zones = held.zones.filter(
    (name) => planned.has(name) || (isMatch(name, patterns) && !isDeclared(name, fleet)),
  );
  if (zones.length === 0) return undefined;
  const hold = { found: held.message, hash: held.hash, limit: undefined, zones };
  if (held.revision === fleet.revision) return hold;
  host.stderr.write(`these files are not those that the daemon holds. ${fleetHoldText(hold)}\n`);
  return undefined;
}

function isDeclared(name: ZoneName, { fleet: { zones, missing } }: PlannedFleet): boolean {
  return zones.has(name) || missing.has(name);
}

/** What the daemon would hold: after a merge where the base is known, else in the first round. */
function heldTogether(
  { zones, weakened, declared, declaredHash: hash, change }: PlannedFleet,
  limits: FleetLimits,
): HeldFleet | undefined {
  const plans = zones.flatMap(
    ({ declared: zone, planned }) => planToJudge(planned.report, zone.desired) ?? [],
  );
  const judged = { plans, weakened: weakened("revision"), declared, hash };
  if (change === undefined || limits.accept.includes(hash)) return heldFleet(judged, limits);
  const { tooLarge } = change;
  if (tooLarge === undefined) return heldFleet(judged, { ...limits, maxFleetShare: 1 });
  const { found, touched } = tooLarge;
  return { found, hash, limit: "max_fleet_share", zones: [...touched] };
}

/** How long a saved plan can be applied. */
const validMs = 24 * 3_600_000;

/** Saves the plans that no guard holds. Prints the reason and returns `false` if the file cannot be written. */
async function savePlan(
  out: string,
  signingKey: KeyObject | undefined,
  { revision, declaredHash, zones: all, declared, weakened }: PlannedFleet,
  { config, baseUrl, host }: Session,
): Promise<boolean> {
  const createdAt = host.clock.now();
  const zones = all.flatMap(({ planned: { report, live } }) =>
    report.result === "planned" && live !== undefined ? [savedPlan(report.plan, live)] : [],
  );
  const file = {
    owner: config.desired.owner,
    service: baseUrl,
    revision,
    createdAt,
    expiresAt: new Date(Number(createdAt) + validMs),
    zones,
  };
  const text = planFileText(file, signingKey);
  const isPrinted = out === stdoutName;
  if (isPrinted) host.stdout.write(text);
  else if (!(await isWritten(out, host, (to) => host.namedFiles.savePrivate(to, text)))) {
    return false;
  }
  const judged = { plans: zones, weakened: weakened("revision"), declared, hash: declaredHash };
  const hold = heldFleet(judged, { ...config.limits, accept: [] });
  const accept = hold === undefined ? "" : ` --accept ${hold.hash}`;
  host.stderr.write(
    `The ${signingKey === undefined ? "" : "signed "}plan for ${plural(zones.length, "zone")} is ${isPrinted ? "on stdout" : `in ${out}`}. To apply it within a day: zonewarden apply --plan ${isPrinted ? "FILE" : out}${accept}\n`,
  );
  if (signingKey === undefined && config.plan.verifyKey !== undefined) {
    host.stderr.write(
      "The plan is not signed: with plan.verify_key, apply --plan refuses it; sign it with --sign-key\n",
    );
  }
  return true;
}

/** Reads the inventory and the managed rulesets of the planned zones. What cannot be read is noted in the impact. */
async function readImpacts(
  { zones }: PlannedFleet,
  session: Session,
): Promise<readonly ZoneImpact[]> {
  const { config, host, stop } = session;
  const { maliciousBelow } = config.impact;
  const source = impactSource(session);
  using progress = startProgress("reading inventories", zones.length, host);
  const impacts: ZoneImpact[] = [];
  for (const { declared, planned } of zones) {
    const { report, live } = planned;
    if (report.result !== "error" && live !== undefined) {
      const judged = { content: declared.desired.content, live, plan: report.plan };
      impacts.push((await readZoneImpact(judged, maliciousBelow, source, stop)).impact);
    }
    progress.step();
  }
  return impacts;
}

/** Reads each managed ruleset once per account, at zone level, which needs no permission for the account (SERVICE.md B.1). */
function impactSource({ service }: Session): ImpactSource {
  const known = new Map<string, Promise<Ruleset>>();
  return {
    readResources: (zone, stop) => service.inventory.listSeen(zone, stop),
    readManaged: (zone, id, stop) => {
      const key = `${zone.accountId} ${id}`;
      const reading =
        known.get(key) ?? service.rulesets.read({ level: "zone", zone }, id, undefined, stop);
      known.set(key, reading);
      return reading;
    },
  };
}
