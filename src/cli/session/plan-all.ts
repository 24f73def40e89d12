import { sweepRequests } from "../../daemon/sweep-schedule.ts";
import type { Config } from "../../desired/config/config.ts";
import { undeclaredCanaries } from "../../desired/config/undeclared-canaries.ts";
import { selectWith } from "../../desired/zones/select.ts";
import { type Host, notesOf } from "../../host/host.ts";
import { loadDesiredOrPrint, loadZonesOrPrint, printDiagnostics } from "../../host/load.ts";
import { notKnownText, type StoredZones } from "../../memory/open-store.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { isHash, planHash } from "../../plan/guard/release.ts";
import type { Ownership } from "../../plan/ownership.ts";
import {
  declaredIn,
  declaredNames,
  desiredFleet,
  type DesiredFleet,
  type FleetZone,
  inForceDigest,
  joinListings,
  missingReport,
} from "../../reconcile/fleet/desired-fleet.ts";
import {
  type FleetLimits,
  maxWeakenedOf,
  type RevisionChange,
  revisionChange,
} from "../../reconcile/fleet/fleet-guard.ts";
import { type Moments, type WeakenedBy, withinAnHour } from "../../reconcile/fleet/fleet-past.ts";
import { comparedDigests } from "../../reconcile/fleet/suspension-overlay.ts";
import type { ReviewedZone } from "../../reconcile/run/apply.ts";
import { explainPlan } from "../../reconcile/run/last-applied.ts";
import {
  guardZone,
  type PlannedZone,
  planZone,
  type RunContext,
} from "../../reconcile/run/plan-zone.ts";
import { contentionHolds } from "../../reconcile/run/zone-memory.ts";
import { windowsOf } from "../../reconcile/schedule/windows.ts";
import { zoneAtSteps } from "../../reconcile/steps/step-overlay.ts";
import { plural } from "../../render/format.ts";
import { failureOf, type ZoneReport } from "../../state/run-report.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { isRuleKind } from "../../zone/resource.ts";
import { type ZoneName, zoneName, type ZoneListing } from "../../zone/zone.ts";
import type { SessionFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { startProgress } from "../output/progress.ts";
import { correctionsCountOf, countOf, holdCorrections, limitsWith } from "./fleet-hold.ts";
import { fleetPart, type FleetPart, type PartFlags } from "./fleet-part.ts";
import { isMatch, listZones, unlistedText } from "./listing.ts";
import { withAuthors } from "./plan-authors.ts";
import { withMeasured } from "./plan-measured.ts";
import { forecastText, readingMs } from "./reading-forecast.ts";
import { inParallel, rethrow, type Session } from "./session.ts";
import { withSteps } from "./step-notes.ts";
import { readStoredZones, unreadText } from "./stored.ts";
import { withWaves } from "./wave-notes.ts";

/** The flags that `plan` and `apply` share. */
export interface FleetFlags extends PartFlags, SessionFlags {
  readonly format: "text" | "json" | "markdown";
  /** Whether text shows each zone in full, however many there are. */
  readonly verbose?: boolean;
  /** Patterns of zone names; none means all. */
  readonly zones: readonly string[];
  /** Hashes of held plans that are released for this command. */
  readonly accept?: readonly string[];
  /** Whether plans pass although the mode is `observe`. */
  readonly enforce?: boolean;
  /** Whether nothing is written: then files that cannot concern the named zones may have mistakes. */
  readonly onlyReads?: boolean;
  /** Whether only ownership is taken, and nothing else is changed. */
  readonly adoptOnly?: boolean;
  /** `false`: the audit log is not asked who made drift. */
  readonly audit?: boolean;
  /** The fleet as it was planned before: a zone with the same declaration keeps its plan and is not read again. */
  readonly before?: Pick<PlannedFleet, "listing" | "zones"> | undefined;
}

export interface PlannedFleetZone extends ReviewedZone {
  readonly declared: FleetZone;
}

interface GitChange {
  /** What is found where it changes too many zones. */
  readonly tooLarge: RevisionChange | undefined;
  /** The zones that it no longer declares. */
  readonly dropped: readonly ZoneName[];
}

/** The plans of all zones that the command line names. */
export interface PlannedFleet {
  readonly revision: string;
  /** What a person accepts: the hash of what the files declare. */
  readonly declaredHash: string;
  /** Git's name for the revision. */
  readonly commit: string | undefined;
  readonly startedAt: Date;
  readonly zones: readonly PlannedFleetZone[];
  /** Reports on declared zones that the service does not list. */
  readonly missing: readonly ZoneReport[];
  /** Of the zones, then of the missing ones. */
  readonly reports: readonly ZoneReport[];
  /** The number of declared zones, named on the command line or not. */
  readonly declared: number;
  /** How the revision differs from the Git revision that the flags name; `undefined` if they name none. */
  readonly change: GitChange | undefined;
  /** The zones that were weakened within the last hour, as far as the state says it. */
  readonly weakened: (by: WeakenedBy) => Moments<ZoneName>;
  /** Why the store was not read, and what is not known without it; `undefined`: it was, or there is none. */
  readonly unread: string | undefined;
  readonly steps: StoredZones["steps"];
  readonly waits: StoredZones["waits"];
  readonly held: StoredZones["held"];
  /** All declared zones that were loaded, named on the command line or not: where the fleet has waves, that is each. */
  readonly fleet: DesiredFleet;
  /** The zones of the service, in which those of the files were found. */
  readonly listing: ZoneListing;
  /** What is wrong in the files, as far as only the zone listing shows it. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Loads the zone files, lists the zones, and plans each declared zone that the flags name. Writes nothing.
 *
 * An error in the files ends the command before any request. An error that only the listing shows concerns its own zone.
 *
 * @returns the exit code if nothing is planned; the reason has been printed.
 */
export async function planAll(
  flags: FleetFlags,
  session: Session,
): Promise<PlannedFleet | ExitCode> {
  const { config, host, stop } = session;
  const stored = await storedFor(flags, session);
  if (stored === undefined) return fail(unreadText, host);
  const weakened = (by: WeakenedBy): Moments<ZoneName> =>
    withinAnHour(stored.weakened(by), host.clock.now());
  const names = zonesToLoad(flags, weakened("revision").size, config);
  const state =
    names === undefined
      ? await loadDesiredOrPrint(config, host, stop)
      : await loadZonesOrPrint(names, config, host, stop);
  if (state === undefined) return exitCodes.invalid;
  const { revision, commit, declaredHash, documents } = state;
  const startedAt = host.clock.now();

  // Where a credential could not list its own before, all are listed again.
  const { before } = flags;
  const listing = before?.listing.failed.length === 0 ? before.listing : await listZones(session);
  const known = joinListings(undefined, listing);
  const fleet = desiredFleet(selectWith(config), state, known);
  const diagnostics = fleet.diagnostics.filter((each) => !hasReport(each, documents));
  const stream = diagnostics.some(isError) ? host.stderr : notesOf(host);
  printDiagnostics({ ...state, diagnostics }, host, stream);
  printCanaries(config, fleet, listing, host);
  const unknownNames = unmatchedTexts(flags, fleet);
  if (unknownNames.length > 0) return fail(unknownNames.join("\n"), host);

  const part = await fleetPart(flags, { state, fleet, known }, session);
  if ("failure" in part) return fail(part.failure, host);

  const planned = await planZones(part, { revision, commit }, flags, stored, session);
  const authored = flags.audit === false ? planned : await withAuthors(planned, session);
  const measured = await withMeasured(authored, flags, session);
  const explained = await withSteps(measured, flags, stored, session);
  const declared = declaredIn(fleet);
  const by = correctionsCountOf(countOf(flags.zones, declared, config.limits));
  const limit = maxWeakenedOf(config.limits, declared);
  const contended =
    flags.onlyReads === true ? holdContended(explained, stored, config.limits, host) : explained;
  const judged = holdCorrections(contended, weakened(by), limit);
  const halt = stored.halt(state.hash);
  // What `apply` writes does not wait for a wave; after an abort, it does not stay.
  const zones =
    flags.onlyReads === true || halt === "aborted"
      ? await withWaves(judged, fleet, config.rollout, halt)
      : judged;
  const unknownHashes = unmatchedHashes(flags, declaredHash, zones).map(
    (hash) => `error: --accept ${hash}: no plan has this hash now; \`zonewarden plan\` shows them`,
  );
  if (unknownHashes.length > 0) return fail(unknownHashes.join("\n"), host);

  const [unlisted] = listing.failed.map((each) => ({
    ...failureOf(each.error),
    message: unlistedText(each),
  }));
  const run = { run: "", trigger: "manual", revision, commit, now: host.clock.now() } as const;
  const missing = [...part.fleet.missing]
    .filter(([name]) => isMatch(name, flags.zones))
    .map(([name, failure]) => missingReport(name, failure ?? unlisted, run));
  return {
    revision,
    commit,
    declaredHash,
    startedAt,
    zones,
    missing,
    reports: [...zones.map((zone) => zone.planned.report), ...missing],
    declared,
    change: part.base && changeOf(part.base, fleet, flags.zones, config.limits),
    weakened,
    unread: stored.unread && notKnownText(stored.unread),
    steps: stored.steps,
    waits: stored.waits,
    held: stored.held,
    fleet,
    listing,
    diagnostics,
  };
}

/** What the store says for a command; `undefined`: nothing, and the command would write what depends on it. */
async function storedFor(
  { changedSince, before, onlyReads = false, adoptOnly = false }: FleetFlags,
  { config, host }: Session,
): Promise<StoredZones | undefined> {
  const { store, mode } = config;
  // A pull request needs no store.
  const hasNote = changedSince === undefined && before === undefined && mode === "enforce";
  if (store === undefined && hasNote) {
    notesOf(host).write(`${notKnownText("there is no store")}\n`);
  }
  const stored = await readStoredZones(config, host, changedSince);
  // Adopting sends nothing that depends on the store.
  return stored.unread === undefined || onlyReads || adoptOnly ? stored : undefined;
}

/** Where a credential could not list its zones, they may be among the named ones. */
function printCanaries(
  config: Config,
  fleet: DesiredFleet,
  { failed }: ZoneListing,
  host: Host,
): void {
  if (failed.length > 0) return;
  const diagnostics = undeclaredCanaries(config, declaredNames(fleet));
  printDiagnostics({ diagnostics, directory: "", sources: new Map() }, host, notesOf(host));
}

/** As the daemon compares revisions. */
function changeOf(
  base: DesiredFleet,
  { zones }: DesiredFleet,
  patterns: FleetFlags["zones"],
  limits: FleetLimits,
): GitChange {
  const before = base.zones;
  const after = comparedDigests(before, zones);
  return {
    tooLarge: before.size === 0 ? undefined : revisionChange(before, after, limits),
    dropped: [...before.keys()].filter((name) => !zones.has(name) && isMatch(name, patterns)),
  };
}

/** The zones whose files are enough for the command; `undefined` if it needs all of them. */
function zonesToLoad(
  { zones, onlyReads = false, changedSince, paths, selector }: FleetFlags,
  weakened: number,
  { limits, rollout }: Config,
): readonly ZoneName[] | undefined {
  // The wave of a zone follows from all of them.
  if (rollout !== undefined) return undefined;
  const isPart = changedSince !== undefined || paths !== undefined || selector !== undefined;
  if (!onlyReads || isPart) return undefined;
  // The fleet guard could hold plans of more zones, by the number of all declared zones and the hash of all files.
  const { minFleet, maxFleetShare } = limits;
  if (zones.length === 0 || !(zones.length / minFleet <= maxFleetShare)) return undefined;
  if (zones.length + weakened > maxWeakenedOf(limits, 0)) return undefined;
  const names = zones.map((name) => zoneName(name)).filter((name) => name !== undefined);
  return names.length === zones.length ? names : undefined;
}

/** A declared name that the service does not list has a report of its own; a declared id has none. */
function hasReport({ code, place }: Diagnostic, documents: readonly ZoneDocument[]): boolean {
  return (
    code === "ZONE_NOT_LISTED" &&
    documents.some((each) => each.target.by === "name" && each.place === place)
  );
}

/** A mistyped zone in a pipeline must not pass for a zone in sync. */
function unmatchedTexts(flags: FleetFlags, { zones, missing }: DesiredFleet): readonly string[] {
  const names = [...missing.keys(), ...zones.keys()];
  const unmatched = flags.zones.filter(
    (pattern) => !names.some((name) => isMatch(name, [pattern])),
  );
  return unmatched.map((pattern) => {
    const remedy = isHash(pattern)
      ? "for a hash, repeat --accept in front of it"
      : "`zonewarden validate` checks what is declared";
    return `error: ${pattern}: no declared zone has this name; ${remedy}`;
  });
}

/** If no plan has the accepted hash, the plan that was reviewed is not the one that would be applied. */
function unmatchedHashes(
  { accept = [] }: FleetFlags,
  declaredHash: string,
  zones: readonly PlannedFleetZone[],
): readonly string[] {
  const hashes = new Set(
    zones.flatMap(({ planned: { report } }) => ("plan" in report ? [planHash(report.plan)] : [])),
  );
  return accept.filter((hash) => hash !== declaredHash && !hashes.has(hash));
}

/** Plans as the daemon holds them where another writer undoes its corrections; `apply` makes them. */
function holdContended(
  zones: readonly PlannedFleetZone[],
  stored: StoredZones,
  { contendedRounds: rounds, contendedWindowMs: windowMs }: Config["limits"],
  { clock }: Host,
): readonly PlannedFleetZone[] {
  return zones.map((zone) => {
    const { report } = zone.planned;
    if (report.result !== "planned" && report.result !== "held") return zone;
    const corrections = stored.corrections(report.zone);
    const found = contentionHolds(report.plan, corrections, { rounds, windowMs }, clock.now());
    if (found.length === 0) return zone;
    // A plan that is kept while files are watched may have one already.
    const others = report.result === "held" ? report.holds.filter(isNotContended) : [];
    const held = { ...report, result: "held", holds: [...others, ...found] } as const;
    return { ...zone, planned: { ...zone.planned, report: held } };
  });
}

function isNotContended({ reason }: Hold): boolean {
  return reason !== "contended";
}

async function planZones(
  { fleet, base }: FleetPart,
  revision: Pick<RunContext, "revision" | "commit">,
  { zones: patterns, accept = [], enforce = false, adoptOnly = false, before }: FleetFlags,
  stored: StoredZones,
  { config, service, host, stop }: Session,
): Promise<readonly PlannedFleetZone[]> {
  const { impact } = config;
  const mode = enforce ? "enforce" : config.mode;
  const { owner, adopt } = config.desired;
  const ownershipOf = (zone: ZoneName): Ownership => ({
    adopt: adoptOnly || adopt === "on_first_apply",
    rules: stored.adopted(zone),
  });
  const limits = limitsWith(accept, config);
  // What the command line accepts is released once more.
  const used = stored.usedReleases
    .filter((hash) => !accept.includes(hash))
    .map((hash) => ({ hash, rest: undefined }));
  const guardRules = { mode, limits, windows: windowsOf(config.windows), used };
  const { clock, uniqueId: runId } = host;
  const ports = { reader: service.reader, clock, runId, bug: rethrow };
  const planOne = async ({ desired }: FleetZone): Promise<PlannedZone> => {
    const { name } = desired.zone;
    const planned = await planZone(
      {
        desired,
        trigger: "manual",
        priority: "changed",
        ...revision,
        owner,
        impact,
        ownership: ownershipOf(name),
        quotas: limits.quota,
        adoptOnly,
        unchangedPlan: () => undefined,
        explain: (plan) =>
          explainPlan(
            plan,
            desired.content,
            stored.applied(name),
            base?.zones.get(name)?.desired.content,
          ),
        holdsAt: (plan, now) => {
          const content = enforce ? { ...desired.content, mode } : desired.content;
          return guardZone(plan, { ...desired, content }, guardRules, now);
        },
      },
      ports,
      stop,
    );
    return stored.unread === undefined || adoptOnly ? planned : withoutUnknown(planned);
  };
  const wanted = [...fleet.zones.values()]
    .filter(({ desired }) => isMatch(desired.zone.name, patterns))
    .map((zone) => zoneAtSteps(zone, stored.steps(zone.desired.zone.name).objects));
  const known = new Map(before?.zones.map((each) => [each.declared.desired.zone.name, each]));
  const desired = wanted.map((each) => each.desired);
  const requests = sweepRequests(desired, service.credentialOf, "read");
  if (before === undefined && readingMs(requests, config) > 0) {
    const what = `reading ${plural(wanted.length, "zone")}`;
    notesOf(host).write(forecastText(what, [requests, requests], config));
  }
  using progress = startProgress("reading zones", wanted.length, host);
  return await inParallel(wanted, config.api.concurrency, async (declared) => {
    const kept = known.get(declared.desired.zone.name);
    // The plan of the same declaration would be the same, if nobody changed the zone.
    const isKept = kept !== undefined && inForceDigest(kept.declared) === inForceDigest(declared);
    if (isKept && kept.planned.report.result !== "error") return kept;
    const planned = await planOne(declared);
    progress.step();
    return { declared, planned, planAgain: () => planOne(declared) };
  });
}

/** A plan that does not call a rule unmanaged: only the store says which rules are adopted. */
function withoutUnknown(planned: PlannedZone): PlannedZone {
  const { report } = planned;
  if (!("plan" in report)) return planned;
  const unowned = report.plan.unowned.filter(({ kind }) => !isRuleKind(kind));
  return { ...planned, report: { ...report, plan: { ...report.plan, unowned } } };
}
