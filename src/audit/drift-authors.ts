import { type Author, shownName } from "../plan/cause/author.ts";
import { fieldsWith, mayBeDrift } from "../plan/cause/cause.ts";
import type { Change } from "../plan/change.ts";
import type { Plan } from "../plan/plan.ts";
import {
  type ChangeResult,
  changeResultOf,
  keysDone,
  type PlannedReport,
  type ZoneReport,
} from "../state/run-report.ts";
import { shortDigest } from "../syntax/digest.ts";
import type { ActorStyle, AuditEntry } from "../zone/audit-entry.ts";
import type { LiveZone } from "../zone/live-zone.ts";
import type { Clock } from "../zone/ports.ts";
import type { Kind, ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";
import { authorsOf } from "./find-authors.ts";
import { KnownWrites } from "./known-writes.ts";
import {
  executorsIn,
  goneOf,
  isElsewhere,
  isEntryMissing,
  resourcesAfter,
  resourcesIn,
  type SeenResources,
} from "./seen-resources.ts";

/** What is known of a zone from its last run. */
interface SeenRun {
  /** When what was found without drift had none. */
  readonly asDeclared: AsDeclared;
  /** The same of resources that drifted, or that were written; `undefined`: not known. */
  readonly others: ReadonlyMap<ResourceKey, AsDeclared | undefined>;
  /** `undefined` if the policies and rules are not known. */
  readonly resources: SeenResources | undefined;
  /** Drift that was left, with its authors. */
  readonly found: ReadonlyMap<ResourceKey, FoundAuthors>;
}

/** When a resource was last as declared: what was written before `from` is gone, and what was written after `until` is not. */
interface AsDeclared {
  readonly from: Date;
  readonly until: Date;
}

/** The authors of drift that was left. */
export interface FoundAuthors {
  /** Digest of the drift that they made. */
  readonly drift: string;
  readonly authors: readonly Author[];
}

/** Remembers the authors of drift that was left beyond the end of the process. Setting never throws and never waits. */
export interface AuthorStore {
  authors(zone: ZoneName): ReadonlyMap<ResourceKey, FoundAuthors>;
  setAuthors(zone: ZoneName, found: ReadonlyMap<ResourceKey, FoundAuthors>): void;
}

/** The audit log, as it is followed. */
export interface FollowedLog {
  /** Whether zonewarden made an entry, or may have made it. */
  isOwn(entry: AuditEntry): boolean;
  /** Whether no entry of an account since a moment is known to be missing. */
  isCompleteSince(accountId: string, moment: Date): boolean;
}

/**
 * Says who made the drift of zones, from the entries of the audit log that came since each resource was last as declared. An
 * author is certain where the entry came after that and no entry is known to be missing. What was there before the feed
 * began, or before this process read the zone, has no author.
 */
export class DriftAuthors {
  readonly #clock: Clock;
  readonly #log: FollowedLog;
  readonly #style: () => ActorStyle | undefined;
  readonly #store: AuthorStore;
  readonly #writes = new KnownWrites();
  readonly #seen = new Map<ZoneName, SeenRun>();

  /** @param style how authors are written, as it is configured now; `undefined`: the audit log is not followed. */
  constructor(
    clock: Clock,
    log: FollowedLog,
    style: () => ActorStyle | undefined,
    store: AuthorStore,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#style = style;
  }

  /** Takes in the entries of a zone that were read now, those of our own writes included. */
  note(zone: ZoneName, entries: readonly AuditEntry[]): void {
    const until = this.#seen.get(zone)?.asDeclared.until;
    // What this process wrote, it knows. Later entries are of another that uses a token of ours.
    const found = entries.filter(
      (entry) => !(until && entry.at <= until && this.#log.isOwn(entry)),
    );
    this.#writes.add(zone, found, this.#clock.now());
  }

  explain(plan: Plan, live: LiveZone | undefined): Plan {
    const style = this.#style();
    if (style === undefined || !plan.changes.some(mayBeDrift)) return plan;
    const now = live && resourcesIn(live);
    const changes = plan.changes.map((change) =>
      mayBeDrift(change)
        ? { ...change, authors: this.#authorsOf(plan, change, live, now, style) }
        : change,
    );
    return { ...plan, changes };
  }

  /**
   * Takes in the result of a run: since when each resource is as declared.
   *
   * @param written the live state after its writes; `undefined` or `live` itself: it has written nothing.
   */
  record(report: ZoneReport, live: LiveZone | undefined, written?: LiveZone): void {
    if (report.result === "error") return;
    const { zone, startedAt, finishedAt } = report;
    const before = this.#seen.get(zone);
    const drift = report.plan.changes.filter(mayBeDrift);
    const corrected = correctedIn(report);
    const left = drift.filter(({ key }) => !corrected.has(key));
    const others = new Map([
      ...[...corrected].map((key) => [key, { from: finishedAt, until: finishedAt }] as const),
      ...left.map((change) => [change.key, asDeclaredAfter(report, change, before)] as const),
    ]);
    const found = new Map(left.flatMap((change) => foundIn(report, change)));
    const known = before?.found ?? this.#store.authors(zone);
    if (found.size + known.size > 0) this.#store.setAuthors(zone, found);
    const seen = resourcesKnown(live, written);
    const resources =
      seen &&
      resourcesAfter(report.plan.changes, new Set(drift), corrected, seen, before?.resources);
    const asDeclared = { from: startedAt, until: finishedAt };
    this.#seen.set(zone, { asDeclared, others, resources: resources ?? before?.resources, found });
  }

  /** Forgets zones that are no longer declared. */
  keepOnly(declared: ReadonlySetLike<ZoneName>): void {
    const names = [...this.#seen.keys(), ...this.#writes.names];
    for (const name of names) {
      if (declared.has(name)) continue;
      this.#seen.delete(name);
      this.#writes.forget(name);
    }
  }

  #authorsOf(
    { zone: { name, accountId } }: Plan,
    change: Change,
    live: LiveZone | undefined,
    now: SeenResources | undefined,
    style: ActorStyle,
  ): readonly Author[] {
    const seen = this.#seen.get(name);
    const asDeclared = asDeclaredIn(change.key, seen);
    // Entries are not kept as long as drift can last, and not over a restart.
    const found = seen?.found ?? this.#store.authors(name);
    const last = lastAuthors(change, found, style);
    if (seen === undefined || asDeclared === undefined) return last;
    const { from, until } = asDeclared;
    const entries = this.#writes
      .since(name, from)
      .filter(({ wrote }) => live === undefined || !isElsewhere(wrote, change, live));
    const { resources } = seen;
    const gone = resources && now && ((kind: Kind) => goneOf(kind, resources, now));
    const isOwn = (entry: AuditEntry): boolean => this.#log.isOwn(entry);
    const isRuleset = change.kind === "custom_ruleset" && "id" in change;
    const executors = isRuleset ? executorsIn(change.id, resources, now) : [];
    const known = { entries, isSinceDeclared: true, isOwn, gone, executors };
    const authors = authorsOf(change, known, style);
    if (authors.length === 0) return last;
    const isComplete =
      this.#log.isCompleteSince(accountId, from) &&
      this.#writes.isCompleteSince(name, from) &&
      !isEntryMissing(change, entries, resources, now);
    return authors.map((author) => ({
      ...author,
      isCertain: author.isCertain && isComplete && author.at > until,
    }));
  }
}

/** The resources of a read, and those that the writes after it created. */
function resourcesKnown(
  live: LiveZone | undefined,
  written: LiveZone | undefined,
): SeenResources | undefined {
  const read = live && resourcesIn(live);
  if (read === undefined || written === undefined || written === live) return read;
  return new Map([...resourcesIn(written), ...read]);
}

function asDeclaredIn(key: ResourceKey, seen: SeenRun | undefined): AsDeclared | undefined {
  return seen?.others.has(key) === true ? seen.others.get(key) : seen?.asDeclared;
}

/** When a resource whose drift is left was last as declared: a write may have corrected it in between. */
function asDeclaredAfter(
  report: PlannedReport,
  change: Change,
  before: SeenRun | undefined,
): AsDeclared | undefined {
  const { finishedAt } = report;
  const known = asDeclaredIn(change.key, before);
  switch (resultOf(change, report)) {
    case "done":
      return { from: finishedAt, until: finishedAt };
    case "unknown":
      return known && { from: known.from, until: finishedAt };
    case "failed":
    case "skipped":
      return known;
  }
}

/** What became of a change: `skipped` if the run wrote nothing. */
function resultOf(change: Change, report: PlannedReport): ChangeResult {
  return report.result === "applied" ? changeResultOf(change, report.outcomes) : "skipped";
}

/** The resources that a run wrote, and that are as declared now. */
function correctedIn(report: PlannedReport): ReadonlySet<ResourceKey> {
  if (report.result !== "applied") return new Set();
  return keysDone(report.outcomes).difference(new Set(report.left.map(({ key }) => key)));
}

/** The authors of drift that a run left; nobody if it was corrected and came back. */
function foundIn(
  report: PlannedReport,
  change: Change,
): readonly (readonly [ResourceKey, FoundAuthors])[] {
  const { key, authors = [] } = change;
  const result = resultOf(change, report);
  if (authors.length === 0 || result === "done") return [];
  const left = authors.map((author) => ({
    ...author,
    isCertain: author.isCertain && result !== "unknown",
  }));
  return [[key, { drift: driftDigest(change), authors: left }]];
}

/** The authors of the same drift at an earlier run; what may be shown can be less now. */
function lastAuthors(
  change: Change,
  found: ReadonlyMap<ResourceKey, FoundAuthors>,
  style: ActorStyle,
): readonly Author[] {
  const last = found.get(change.key);
  if (last?.drift !== driftDigest(change)) return [];
  return last.authors.map((author) => ({ ...author, name: shownName(author.name, style) }));
}

/** What is not known to be drift any more was perhaps corrected by a process that was killed. */
function driftDigest(change: Change): string {
  const { verb, fields } = change;
  const values = fields.map(({ field, before }) => [field, before]);
  return shortDigest(JSON.stringify([verb, values, fieldsWith("unknown", change)]));
}
