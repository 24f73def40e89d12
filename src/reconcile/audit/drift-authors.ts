import { createHash } from "node:crypto";

import { type Author, shownName } from "../../plan/cause/author.ts";
import { causesOf } from "../../plan/cause/cause.ts";
import { authorsOf } from "../../plan/cause/find-authors.ts";
import type { Change } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import { keysDone, type ZoneReport } from "../../state/run-report.ts";
import type { ActorStyle, AuditEntry } from "../../zone/audit-entry.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { Clock } from "../../zone/ports.ts";
import type { Kind, ResourceKey } from "../../zone/resource.ts";
import type { ZoneName } from "../../zone/zone.ts";
import { KnownWrites } from "./known-writes.ts";

/** What is known of a zone from its last read. */
interface Seen {
  /** When the read began. */
  readonly at: Date;
  /** Resources that were not as declared then, or that were written since: since when they were; `undefined`: not known. */
  readonly since: ReadonlyMap<ResourceKey, Date | undefined>;
  /** The policies and rules of that read, by id; `undefined` where they are not known. */
  readonly resources: ReadonlyMap<string, LiveResource> | undefined;
  /** Drift that was left, with its authors. */
  readonly found: ReadonlyMap<ResourceKey, FoundAuthors>;
}

interface LiveResource {
  readonly kind: Kind;
  /** How often a rule was changed; 0 for a policy, which has no version. */
  readonly version: number;
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

type Planned = Exclude<ZoneReport, { readonly result: "error" }>;

/**
 * Says who made the drift of zones, from the entries of the audit log that came since each resource was last seen as declared.
 * What was there before the feed began, or before this process read the zone, has no author.
 */
export class DriftAuthors {
  readonly #clock: Clock;
  readonly #isOwnToken: (id: string) => boolean;
  readonly #style: () => ActorStyle | undefined;
  readonly #store: AuthorStore;
  readonly #writes = new KnownWrites();
  readonly #seen = new Map<ZoneName, Seen>();

  /** @param style how authors are written, as it is configured now; `undefined`: the audit log is not followed. */
  constructor(
    clock: Clock,
    isOwnToken: (id: string) => boolean,
    style: () => ActorStyle | undefined,
    store: AuthorStore,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#isOwnToken = isOwnToken;
    this.#style = style;
  }

  /** Takes in the entries of a zone that were read now. */
  note(zone: ZoneName, entries: readonly AuditEntry[]): void {
    this.#writes.add(zone, entries, this.#clock.now());
  }

  /** The plan with the authors of its drift. */
  explain(plan: Plan, live: LiveZone | undefined): Plan {
    const style = this.#style();
    if (style === undefined) return plan;
    const changes = plan.changes.map((change) =>
      isDrift(change) ? { ...change, authors: this.#authorsOf(plan, change, live, style) } : change,
    );
    return { ...plan, changes };
  }

  /** Takes in the result of a run: since when each resource is as declared. */
  record(report: ZoneReport, live: LiveZone | undefined): void {
    if (report.result === "error") return;
    const before = this.#seen.get(report.zone);
    const left = leftIn(report);
    const since = new Map(left.map(({ key }) => [key, sinceOf(key, before)]));
    const found = new Map(
      left
        .map((change) => [change.key, foundIn(change)] as const)
        .filter(([, { authors }]) => authors.length > 0),
    );
    const known = before?.found ?? this.#store.authors(report.zone);
    if (found.size + known.size > 0) this.#store.setAuthors(report.zone, found);
    for (const key of correctedIn(report)) if (!since.has(key)) since.set(key, report.finishedAt);
    const resources = live === undefined ? before?.resources : resourcesAfter(report, live, before);
    this.#seen.set(report.zone, { at: report.startedAt, since, resources, found });
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
    plan: Plan,
    change: Change,
    live: LiveZone | undefined,
    style: ActorStyle,
  ): readonly Author[] {
    const seen = this.#seen.get(plan.zone.name);
    const since = sinceOf(change.key, seen);
    // Entries are not kept as long as drift can last, and not over a restart.
    const found = seen?.found ?? this.#store.authors(plan.zone.name);
    const last = lastAuthors(change, found, style);
    if (seen === undefined || since === undefined) return last;
    const entries = this.#writes.since(plan.zone.name, since);
    const { resources } = seen;
    const now = live && resourcesIn(live);
    const known = {
      entries,
      isOwn: ({ actor }: AuditEntry) => actor.tokenId !== "" && this.#isOwnToken(actor.tokenId),
      gone: resources && now && ((kind: Kind) => goneOf(kind, resources, now)),
    };
    const authors = authorsOf(change, known, style);
    if (authors.length === 0) return last;
    if (!isMissing(change, entries, resources, now)) return authors;
    return authors.map((author) => ({ ...author, isCertain: false }));
  }
}

function sinceOf(key: ResourceKey, seen: Seen | undefined): Date | undefined {
  return seen?.since.has(key) === true ? seen.since.get(key) : seen?.at;
}

function isDrift(change: Change): boolean {
  return causesOf(change).some((cause) => cause !== "pending");
}

/** The drift that a run left. */
function leftIn(report: Planned): readonly Change[] {
  const drift = report.plan.changes.filter(isDrift);
  if (report.result !== "applied") return drift;
  const corrected = correctedIn(report);
  return drift.filter(({ key }) => !corrected.has(key));
}

/** The resources that a run wrote, and that are as declared now. */
function correctedIn(report: Planned): ReadonlySet<ResourceKey> {
  if (report.result !== "applied") return new Set();
  return keysDone(report.outcomes).difference(new Set(report.left.map(({ key }) => key)));
}

function foundIn(change: Change): FoundAuthors {
  return { drift: driftDigest(change), authors: change.authors ?? [] };
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

function driftDigest({ verb, fields }: Change): string {
  const drift = JSON.stringify([verb, fields.map(({ field, before }) => [field, before])]);
  return createHash("sha256").update(drift).digest("base64url").slice(0, 16);
}

/** Whether a rule was changed more often than the known entries say: then one of them is missing. */
function isMissing(
  change: Change,
  entries: readonly AuditEntry[],
  before: Seen["resources"],
  now: Seen["resources"],
): boolean {
  if (change.kind !== "rule" || change.verb !== "update") return false;
  const [last, current] = [before?.get(change.id)?.version, now?.get(change.id)?.version];
  if (last === undefined || current === undefined) return false;
  const known = entries.filter(
    ({ wrote }) => wrote?.kind === "rule" && (wrote.id === change.id || wrote.verb === "replace"),
  );
  return current - last > known.length;
}

function resourcesIn({ policies, entrypoint }: LiveZone): ReadonlyMap<string, LiveResource> {
  const rules = entrypoint?.state === "present" ? entrypoint.rules : [];
  return new Map<string, LiveResource>([
    ...(policies ?? []).map(({ id }) => [id, { kind: "policy", version: 0 }] as const),
    ...rules.map(({ id, version }) => [id, { kind: "rule", version: Number(version) }] as const),
  ]);
}

function goneOf(
  kind: Kind,
  before: ReadonlyMap<string, LiveResource>,
  now: ReadonlyMap<string, LiveResource>,
): readonly string[] {
  return [...before].filter(([id, each]) => each.kind === kind && !now.has(id)).map(([id]) => id);
}

/** The resources as they are compared with at the next read: what drifted stays as it was before it did. */
function resourcesAfter(
  report: Planned,
  live: LiveZone,
  seen: Seen | undefined,
): ReadonlyMap<string, LiveResource> {
  const { changes } = report.plan;
  const corrected = correctedIn(report);
  const before = seen?.resources ?? new Map<string, LiveResource>();
  const after = new Map(resourcesIn(live));
  for (const change of changes) {
    const isCorrected = corrected.has(change.key);
    if (change.verb === "update" && change.kind === "rule") {
      const resource = ruleAfter(change, isCorrected, before.get(change.id), after.get(change.id));
      if (resource !== undefined) after.set(change.id, resource);
    } else if (change.verb === "delete" && isCorrected) after.delete(change.id);
  }
  const missing = changes.filter(({ verb, key }) => verb === "create" && !corrected.has(key));
  for (const kind of new Set(missing.map((each) => each.kind))) {
    for (const id of goneOf(kind, before, after)) after.set(id, { kind, version: 0 });
  }
  return after;
}

/** A changed rule as it is compared with at the next read. */
function ruleAfter(
  change: Change,
  isCorrected: boolean,
  before: LiveResource | undefined,
  live: LiveResource | undefined,
): LiveResource | undefined {
  if (live === undefined) return undefined;
  if (!isCorrected) return isDrift(change) ? (before ?? live) : live;
  // A move is no change of a rule (SERVICE.md B.4).
  const isChanged = change.fields.some(({ field }) => field !== "position");
  return { ...live, version: live.version + (isChanged ? 1 : 0) };
}
