import { type AuditEntry, type OwnWrites, rayId, type SentWrite } from "../zone/audit-entry.ts";

/**
 * Whether this process wrote what an entry of a token of ours tells: `possible` if that cannot be known, `elsewhere`
 * if it did not, `later` if a later read decides.
 */
export type Origin = "own" | "possible" | "elsewhere" | "later";

/** How far the clock of the service may be from ours where only the time tells. */
const clockMs = 60_000;

/** What the process before wrote came no later than so long after the start. */
const startMs = 10_000;

/** How long after its time an entry is undecided at most. */
const undecidedMs = 600_000;

/** What a process, or a term of it, knows at its end: the next one may find late entries of it. */
export interface FormerTerm {
  /** From then until the end, `writes` are all of ours. */
  readonly since: Date;
  readonly until: Date;
  readonly writes: readonly SentWrite[];
  /** Ids of the entries of our tokens that were not ours. */
  readonly elsewhere: readonly string[];
}

/** The entry that a write of ours has in the log. */
interface Match {
  readonly entry: AuditEntry;
  /** Whether an id of the answer says so, and not only the request and its time. */
  readonly isById: boolean;
}

/**
 * Tells the entries of our own writes from those of others that use our token. Each write explains one entry: by the ids
 * that its answer carried, otherwise by method, path and time.
 */
export class OwnEntries {
  readonly #beganAt: Date;
  readonly #isEarlierRay: (ray: string) => boolean;
  readonly #former: FormerTerm | undefined;
  readonly #matches = new Map<SentWrite, Match>();
  /** Whether an id of an answer was ever found in the log: only then an unknown id tells something. */
  #isProven = false;

  /**
   * @param isEarlierRay whether an id is of a request that a process before this one sent, however that one ended.
   * @param former `undefined`: what was written before is not all known.
   */
  constructor(beganAt: Date, isEarlierRay: (ray: string) => boolean, former?: FormerTerm) {
    this.#beganAt = beganAt;
    this.#isEarlierRay = isEarlierRay;
    this.#former = former;
  }

  /** The origin of new entries, and of earlier ones of which more is known now. */
  judge(
    entries: readonly AuditEntry[],
    { writes: sent, completeSince }: OwnWrites,
    now: Date,
  ): ReadonlyMap<AuditEntry, Origin> {
    const origins = new Map<AuditEntry, Origin>();
    if (entries.length === 0) return origins;
    const writes = [...this.#formerWrites(sent), ...sent];
    const left = this.#matchById(entries, writes, origins);
    const byRequest = Map.groupBy(writes, ({ method, path }) => `${method} ${path}`);
    // What we wrote before is not all known.
    const knownSince = Math.max(Number(this.#beganAt), Number(completeSince)) + startMs;
    for (const entry of left) {
      const same = byRequest.get(`${entry.method} ${entry.path}`) ?? [];
      origins.set(entry, this.#originWithoutId(entry, same, writes, knownSince, now));
    }
    return origins;
  }

  /** The writes of the former term that are not in `sent`: that of the same process shares them. */
  #formerWrites(sent: readonly SentWrite[]): readonly SentWrite[] {
    if (this.#former === undefined) return [];
    const { writes, until } = this.#former;
    const shared = new Set(sent.filter(({ sentAt }) => sentAt <= until).map(requestOf));
    return writes.filter((write) => !shared.has(requestOf(write)));
  }

  /** Whether all that we wrote at a moment is known. */
  #isKnown(at: number, knownSince: number): boolean {
    if (at >= knownSince) return true;
    if (this.#former === undefined) return false;
    const { since, until } = this.#former;
    // Beside its end and its start, another replica may have written.
    return at >= Number(since) + startMs && at <= Number(until) - startMs;
  }

  /** Matches entries with writes by the ids of answers; gives the entries that are left. */
  #matchById(
    entries: readonly AuditEntry[],
    writes: readonly SentWrite[],
    origins: Map<AuditEntry, Origin>,
  ): readonly AuditEntry[] {
    const kept = new Set(writes);
    for (const write of this.#matches.keys()) if (!kept.has(write)) this.#matches.delete(write);
    const byId = writesById(writes);
    const left: AuditEntry[] = [];
    for (const entry of entries) {
      const write = byId.get(entry.id) ?? byId.get(rayId(entry.ray));
      const known = write && this.#matches.get(write);
      if (write === undefined || known?.isById === true) {
        left.push(entry);
        continue;
      }
      if (known !== undefined) left.push(known.entry);
      this.#isProven = true;
      this.#matches.set(write, { entry, isById: true });
      origins.set(entry, "own");
    }
    return left;
  }

  #originWithoutId(
    entry: AuditEntry,
    same: readonly SentWrite[],
    writes: readonly SentWrite[],
    knownSince: number,
    now: Date,
  ): Origin {
    const at = Number(entry.at);
    if (at < knownSince && this.#isEarlierRay(rayId(entry.ray))) return "own";
    const fitting = same.filter((write) => this.#fits(entry, write, now));
    const write = fitting.find(({ isAnswered }) => isAnswered) ?? fitting[0];
    if (write !== undefined && write.endedAt === undefined) return "later";
    if (write !== undefined) {
      this.#matches.set(write, { entry, isById: false });
      return write.isAnswered ? "own" : "possible";
    }
    if (!this.#isKnown(at, knownSince)) return "possible";
    const isNearOurs = writes.some(({ sentAt }) => Math.abs(Number(sentAt) - at) <= clockMs);
    // What the log calls our writes may not be known yet.
    if (this.#isProven || !isNearOurs) return "elsewhere";
    return Number(now) - at < undecidedMs ? "later" : "possible";
  }

  #fits(entry: AuditEntry, write: SentWrite, now: Date): boolean {
    if (this.#matches.has(write)) return false;
    const [from, until] = [Number(write.sentAt) - clockMs, Number(write.endedAt ?? now) + clockMs];
    if (Number(entry.at) < from || Number(entry.at) > until) return false;
    const isOther = write.ray !== "" && entry.ray !== "" && write.ray !== rayId(entry.ray);
    return !(isOther && this.#isProven);
  }
}

function requestOf({ method, path, sentAt, ray }: SentWrite): string {
  return `${method} ${path} ${sentAt.toISOString()} ${ray}`;
}

/** The writes by the ids of their answers. An id that several answers carried says nothing. */
function writesById(writes: readonly SentWrite[]): ReadonlyMap<string, SentWrite> {
  const found = new Map<string, SentWrite>();
  const repeated = new Set<string>();
  for (const write of writes) {
    for (const id of new Set([write.ray, write.entryId])) {
      if (id === "") continue;
      if (found.has(id)) repeated.add(id);
      found.set(id, write);
    }
  }
  for (const id of repeated) found.delete(id);
  return found;
}
