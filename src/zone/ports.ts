import type { Script } from "./inventory-item.ts";
import type { LiveZone } from "./live-zone.ts";
import type { RulePhase } from "./rule-phase.ts";
import type { RulesPart, Write, ZonePart } from "./write.ts";
import type { Zone } from "./zone.ts";

/** Time. A port, so that tests can simulate it. */
export interface Clock {
  /** Wall time, for dates and windows. It can jump. */
  now(): Date;
  /**
   * Milliseconds since a fixed moment. Unlike wall time it never jumps: use it to measure and to
   * wait.
   */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when the signal aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `ring` after `ms`, unless the function that it returns is called before. */
  alarm(ms: number, ring: () => void): () => void;
}

/** Says whether this process may still write. */
export interface WriteFence {
  /** Asked synchronously before each write is sent. To ask changes nothing. */
  isHeld(): boolean;
  /** Cancels the work of this process if it may no longer write. */
  endIfOver(): void;
  /** How long one write may take, in milliseconds. */
  readonly limitMs: number;
}

/** The priorities of requests that wait for the request budget, highest first. */
export const requestPriorities = ["write", "changed", "sweep", "inventory"] as const;

export type RequestPriority = (typeof requestPriorities)[number];

/** Which parts of a zone to read. A part that is not read costs no request. */
export interface PartsToRead {
  readonly settings: boolean;
  readonly policies: boolean;
  readonly rules: readonly RulePhase[];
  /** Left out: none. They need the entry point of custom rules, which tells which ones the zone executes. */
  readonly customRulesets?: RulesetsToRead | undefined;
  /** The OWASP score rule; read once per account and kept for an hour. */
  readonly scoreRule: boolean;
}

/**
 * Which custom rulesets of a zone to read, beside the listing of all. By ids, and those with a description; or those with the
 * mark of an owner. Where one of `keys` has no such mark, or nothing is declared yet, also those that have no mark and that
 * the zone executes.
 */
export type RulesetsToRead =
  | DeclaredRulesets
  | { readonly owner: string; readonly keys: "any" }
  | { readonly ids: readonly string[]; readonly description?: string };

/** The custom rulesets that an owner declares. */
export interface DeclaredRulesets {
  readonly owner: string;
  readonly keys: readonly string[];
}

export const noParts: PartsToRead = {
  settings: false,
  policies: false,
  rules: [],
  customRulesets: undefined,
  scoreRule: false,
};

/** To read one part and nothing else; of the custom rulesets those of `live` that were read. */
export function onlyPart(part: ZonePart, live?: Pick<LiveZone, "customRulesets">): PartsToRead {
  if (part === "settings" || part === "policies") return { ...noParts, [part]: true };
  if (part !== "custom_rulesets") return { ...noParts, rules: [part] };
  const read = (live?.customRulesets ?? []).filter(({ rules }) => rules !== undefined);
  return { ...noParts, customRulesets: { ids: read.map(({ id }) => id) } };
}

/** Whether a part is among those to read. */
export function isPartOf(parts: PartsToRead, part: ZonePart): boolean {
  if (part === "settings" || part === "policies") return parts[part];
  return part === "custom_rulesets"
    ? parts.customRulesets !== undefined
    : parts.rules.includes(part);
}

/**
 * When the request was sent that read a part of a zone, by the monotonic clock; missing for a
 * part that was not read. What the answer shows may have changed since then.
 */
export type ReadTimes = Readonly<Partial<Record<ZonePart, number | undefined>>>;

/** What the service answered about a zone. The answers are parsed on demand. */
export interface ZoneAnswers {
  /** For rules that were not read: when their versions were listed. */
  readonly readAt: ReadTimes;
  /** Equal answers have equal digests. */
  readonly digest: string;
  /**
   * Throws a `ServiceError` if an answer is not of the documented shape, and an `Error` if the
   * rules were not read (see {@link KnownAnswers}).
   */
  readonly live: () => LiveZone;
  /** Left out, or `undefined`: an entry point has no id or no version, or none was asked for. */
  readonly rules?: (() => ReadRules | undefined) | undefined;
}

/** The entry points and custom rulesets of a zone, as they were read in full. */
export interface ReadRules {
  /** When the first of them was requested, by the monotonic clock. */
  readonly readAt: number;
  /** Of each phase its id and version, or that it was absent, as one text; and the digest of the answer. */
  readonly entrypoints: ReadonlyMap<RulesPart, EntrypointVersion>;
}

/** A version of an entry point, or of all custom rulesets. */
export interface EntrypointVersion {
  readonly version: string;
  readonly digest: string;
}

/**
 * Answers whose plan is known. If all other answers are the same, and the listing of rulesets shows
 * the versions of the rules, the rules are not read: the digest is that of these answers again.
 */
export interface KnownAnswers {
  readonly digest: string;
  readonly rules: ReadRules;
}

/** Reads the live state. It cannot write: planning gets this and nothing else. */
export interface LiveReader {
  /** Reads all parts in full, unless the answers are `known`. */
  readAnswers(
    zone: Zone,
    parts: PartsToRead,
    priority: RequestPriority,
    signal: AbortSignal,
    known?: KnownAnswers,
  ): Promise<ZoneAnswers>;
  /** Reads all scripts on record for a zone, whatever their status. */
  readScripts(
    zone: Zone,
    priority: RequestPriority,
    signal: AbortSignal,
  ): Promise<readonly Script[]>;
}

/** An answer of the analytics, not validated. */
export interface AnalyticsAnswer {
  readonly body: unknown;
  /** When the service answered, by its clock; `undefined`: the answer has no date. */
  readonly at: Date | undefined;
}

/**
 * Sends a query about zones of one credential; its errors are in the answer. Does not wait after a 429: whoever measures asks
 * again later. Rejects with a `ServiceError` where there is no answer to the query.
 */
export type AskAnalytics = (
  zones: readonly Zone[],
  query: string,
  signal: AbortSignal,
) => Promise<AnalyticsAnswer>;

/** Reads what a listing of scripts does not tell of them, at the lowest request priority. */
export interface ScriptReader {
  /**
   * The scripts on record that were seen on pages: patterns of host and path with `*` at the start
   * or the end.
   */
  listScriptsOn(
    zone: Zone,
    pages: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Script[]>;
  /** A script with all its pages and versions. */
  readScript(zone: Zone, id: string, signal: AbortSignal): Promise<Script>;
}

/** The result of one write. */
export interface Written {
  /**
   * The live state after the write, as the service answered it: a plan on it verifies the write.
   */
  readonly live: LiveZone;
  /** When the request was sent whose answer `live` contains, by the monotonic clock. */
  readonly readAt: number;
  /**
   * What that answer shows: the whole part that was written, or only the object that was written.
   */
  readonly shows: "part" | "object";
  /** The service's id of the request. */
  readonly ray: string;
  /**
   * Whether the ruleset's version shows that somebody else wrote between the read and this write.
   */
  readonly interleaved: boolean;
}

/** Changes the live state. */
export interface LiveWriter {
  /**
   * Sends one write; rejects with a `ServiceError` if it failed. `stop` cancels a write that has
   * not been sent, and its retries; `signal` also aborts a request in flight. `beforeAttempt` is
   * called just before each attempt, and may abort `stop`: then the attempt is not sent.
   */
  write(
    live: LiveZone,
    write: Write,
    signal: AbortSignal,
    stop: AbortSignal,
    beforeAttempt?: () => void,
  ): Promise<Written>;
}
