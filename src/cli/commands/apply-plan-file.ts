import type { Config } from "../../desired/config/config.ts";
import { selectZones } from "../../desired/zones/select.ts";
import type { Host } from "../../host/host.ts";
import { loadDesiredOrPrint } from "../../host/load.ts";
import { readText } from "../../host/named-files.ts";
import type { StoredZones } from "../../memory/open-store.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { planHash } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import { rejectSaved } from "../../plan/saved/confirm.ts";
import { partsTouched, type SavedPlan } from "../../plan/saved/saved-plan.ts";
import { joinListings, missingReport, namesOf } from "../../reconcile/fleet/desired-fleet.ts";
import { type Moments, type WeakenedBy, withinAnHour } from "../../reconcile/fleet/fleet-past.ts";
import type { ReviewedZone } from "../../reconcile/run/apply.ts";
import {
  guardZone,
  partsOf,
  type PlannedZone,
  planSaved,
  type RunContext,
  type SavedPlanRequest,
} from "../../reconcile/run/plan-zone.ts";
import { windowsOf } from "../../reconcile/schedule/windows.ts";
import { contentAtSteps } from "../../reconcile/steps/step-overlay.ts";
import { type PlanFile, planFileErrors, readPlanFile } from "../../render/plan-file.ts";
import { failureOf, type ZoneReport } from "../../state/run-report.ts";
import { allOf } from "../../syntax/first-of.ts";
import type { DesiredState } from "../../zone/desired-state.ts";
import { noContent, type ZoneContent } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { isPartOf } from "../../zone/ports.ts";
import { zoneParts } from "../../zone/write.ts";
import type { Zone, ZoneName, ZoneListing } from "../../zone/zone.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { applyZones } from "../session/apply-zones.ts";
import { tellHeldByDaemon } from "../session/fleet-hold.ts";
import { listZones, unlistedText } from "../session/listing.ts";
import type { FleetFlags } from "../session/plan-all.ts";
import { signatureErrorText } from "../session/plan-keys.ts";
import { finish } from "../session/print-reports.ts";
import { rethrow, type Session, withSession } from "../session/session.ts";
import { readStoredZones, unreadText } from "../session/stored.ts";

export interface PlanFileFlags extends Pick<
  FleetFlags,
  "config" | "quiet" | "format" | "verbose" | "accept"
> {
  readonly plan: string;
  readonly verifyKey?: string;
}

/**
 * `zonewarden apply --plan`: applies a saved plan as far as it is the plan of today. The file is not trusted: the zone is
 * looked up in the zone listing, planned again from its live state and today's files, and judged by today's guards. Only
 * writes that today's plan has too are sent. A write that is done already, by an earlier apply for example, is left out.
 */
export async function applyPlanFile(flags: PlanFileFlags, host: Host): Promise<ExitCode> {
  const { text, why } = await readText(flags.plan, host);
  const reject = (message: string, code: ExitCode = exitCodes.invalid): ExitCode =>
    fail(`${flags.plan}: ${message}`, host, code);
  if (text === undefined) {
    return reject(`cannot be read: ${why}; name the file that plan --out wrote`);
  }
  const read = readPlanFile(text);
  if (read.result === "error") return reject(read.error.message);
  return withSession(flags, host, async (session) => {
    const { config, baseUrl } = session;
    const unsigned = await signatureErrorText(read, flags.verifyKey, config, host);
    if (unsigned !== undefined) return reject(unsigned);
    const here = { owner: config.desired.owner, service: baseUrl, now: host.clock.now() };
    const [error] = planFileErrors(read.file, here);
    if (error !== undefined) {
      const isExpired = error.code === "PLAN_EXPIRED";
      return reject(error.message, isExpired ? exitCodes.stale : exitCodes.invalid);
    }
    const desired = await loadDesiredOrPrint(config, host, session.stop);
    if (desired === undefined) return reject(brokenFiles);
    return applyAll(read.file, desired, flags, session);
  });
}

const brokenFiles =
  "not applied: the zone files have errors, so it is unknown which zones may be written; correct the files and apply the plan again";

async function applyAll(
  file: PlanFile,
  desired: DesiredState,
  { accept = [], ...flags }: PlanFileFlags,
  session: Session,
): Promise<ExitCode> {
  const { revision, commit, declaredHash } = desired;
  const unknown = accept.filter((hash) => hash !== declaredHash);
  if (unknown.length > 0) {
    return fail(
      `error: --accept ${unknown.join(", ")}: the hash of what the files declare is ${declaredHash}`,
      session.host,
    );
  }
  const { service, host, stop, config } = session;
  const stored = await readStoredZones(config, host);
  if (stored.unread !== undefined) return fail(unreadText, host);
  const { clock, uniqueId: runId } = host;
  const ports = { reader: service.reader, clock, runId, bug: rethrow };
  const run = { trigger: "manual", priority: "changed", revision, commit } as const;
  const startedAt = clock.now();
  const listing = await listZones(session);
  const { requestOf, declared } = savedPlanRequests(desired, listing, config, stored);
  const zones: ReviewedZone[] = [];
  const rejected: ZoneReport[] = [];
  for (const saved of file.zones) {
    const difference = zoneDifference(saved.zone, listing.zones);
    const planAgain = (): Promise<PlannedZone> =>
      planSaved({ ...run, ...requestOf(saved) }, ports, stop);
    const savedHash = planHash(saved);
    if (difference === undefined) zones.push({ planned: await planAgain(), planAgain, savedHash });
    else rejected.push(rejectedReport(saved, difference, listing, desired, host));
  }
  const weakened = (by: WeakenedBy): Moments<ZoneName> =>
    withinAnHour(stored.weakened(by), clock.now());
  const { reports, code } = await applyZones(
    { zones, missing: rejected, declared, declaredHash, weakened },
    session,
    { zones: [], accept, yes: true },
  );
  const fleet = { revision, commit, startedAt, listing, diagnostics: [] };
  const exitCode = finish(fleet, reports, code, flags, host);
  tellHeldByDaemon(reports, stored.held, { revision, declared }, session);
  return exitCode;
}

function zoneDifference({ id, name }: Zone, listed: readonly Zone[]): string | undefined {
  const zone = listed.find((each) => each.id === id);
  if (zone === undefined) return `the service lists no zone with the id ${id}`;
  return zone.name === name ? undefined : `the service lists the zone ${id} as ${zone.name}`;
}

/** The report on a zone that the listing does not confirm: no write is sent. */
function rejectedReport(
  saved: SavedPlan,
  difference: string,
  { zones, failed: [unlisted] }: ZoneListing,
  { revision, commit }: DesiredState,
  { clock, uniqueId }: Host,
): ZoneReport {
  const { id, name } = saved.zone;
  const now = clock.now();
  const run = { run: uniqueId(), trigger: "manual", revision, commit } as const;
  if (unlisted !== undefined && zones.every((zone) => zone.id !== id)) {
    const failure = { ...failureOf(unlisted.error), message: unlistedText(unlisted) };
    return missingReport(name, failure, { ...run, now });
  }
  const { plan, conflicts } = rejectSaved(saved, difference);
  return {
    ...run,
    result: "applied",
    zone: name,
    startedAt: now,
    finishedAt: now,
    phases: { fetch: 0, plan: 0, apply: 0 },
    plan,
    outcomes: conflicts.map((write) => ({ status: "skipped", write, reason: "conflict" })),
    left: [],
  };
}

interface SavedPlanRequests {
  readonly requestOf: (saved: SavedPlan) => ZoneRequest;
  /** The number of zones that the files declare today. */
  readonly declared: number;
}

type ZoneRequest = Omit<SavedPlanRequest, keyof RunContext>;

/**
 * What to plan for a saved plan: the declaration of today, and its guards. A zone that is not declared is planned as one
 * that declares nothing, and held.
 */
function savedPlanRequests(
  { documents }: DesiredState,
  listing: ZoneListing,
  { mode, limits, windows, impact, desired: { owner, adopt } }: Config,
  { adopted, steps, usedReleases }: StoredZones,
): SavedPlanRequests {
  const selection = selectZones(documents, joinListings(undefined, listing));
  const declared = new Map(selection.zones.map((desired) => [desired.zone.id, desired]));
  const listed = new Map(listing.zones.map((zone) => [zone.id, zone]));
  const requestOf = (saved: SavedPlan): ZoneRequest => {
    const { id, name } = saved.zone;
    const zone = listed.get(id) ?? saved.zone;
    const found = declared.get(id);
    if (found === undefined) {
      const hold = undeclared(name, selection.leftAlone.get(name));
      return { saved, desired: { zone, content: noContent }, owner, impact, holdsAt: () => [hold] };
    }
    const desired = { ...found, content: contentAtSteps(found.content, steps(zone.name).objects) };
    const dropped = allOf(partsDropped(saved, desired.content));
    const hold = dropped === "" ? undefined : undeclared(`the ${dropped} of ${name}`, undefined);
    // A release of the saved plan also releases the part of it that is left after an interrupted apply.
    const hash = planHash(saved);
    const isAccepted = limits.accept.includes(hash) && !usedReleases.includes(hash);
    const before = usedReleases.map((each) => ({ hash: each, rest: undefined }));
    const used = isAccepted ? [...before, { hash: "", rest: saved }] : before;
    const rules = { mode, limits, windows: windowsOf(windows), used };
    const holdsAt: ZoneRequest["holdsAt"] = (today, now) =>
      hold === undefined ? guardZone(today, desired, rules, now) : [hold];
    const ownership = { adopt: adopt === "on_first_apply", rules: adopted(zone.name) };
    return { saved, desired, owner, impact, ownership, quotas: limits.quota, holdsAt };
  };
  const names = [...selection.zones.map(({ zone }) => zone.name), ...namesOf(documents)];
  return { requestOf, declared: new Set(names).size };
}

/** The parts of a zone that a plan writes and that the files no longer declare. */
function partsDropped(plan: Plan, content: ZoneContent): readonly string[] {
  const [touched, wanted] = [partsTouched(plan), partsOf(content)];
  return zoneParts.filter((part) => touched.has(part) && !isPartOf(wanted, part));
}

/** @param diagnostic what is wrong with the declaration; `undefined` if there is no declaration. */
function undeclared(what: string, diagnostic: Diagnostic | undefined): Hold {
  const message =
    diagnostic === undefined
      ? `the files no longer declare ${what}: nothing is written; declare it again, or make a new plan`
      : `${diagnostic.place.file}:${diagnostic.place.line}: ${diagnostic.message}; ${diagnostic.remedy}`;
  return { reason: "undeclared", message };
}
