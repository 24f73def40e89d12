import type { RulePhase } from "./rule-phase.ts";

/** An entry of the service's audit log; "" for what the service did not say (SERVICE.md C.7). */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: AuditActor;
  readonly method: string;
  /** Path of the request, without base path and query. */
  readonly path: string;
  /** Whether the service says that it refused the request: then nothing has changed. */
  readonly isRefused: boolean;
  readonly zoneId: string;
  readonly zoneName: string;
  readonly resourceId: string;
  readonly ray: string;
  /**
   * What it wrote in a zone; `undefined` if that cannot be told, or is nothing that zone files
   * declare.
   */
  readonly wrote: AuditedWrite | undefined;
}

/** What the request of an entry wrote. */
export interface AuditedWrite {
  /** `rule`: of any phase, since not every path says which. `ruleset`: an entry point or a custom ruleset. */
  readonly kind: "setting" | "policy" | "ruleset" | "rule";
  /** The phase of the rules, where the request says it. */
  readonly phase?: RulePhase | undefined;
  /** Id of the ruleset, or of that of the rules, where the entry says it. */
  readonly ruleset?: string;
  /** `replace`: all rules of a ruleset at once; also where an entry point is created. */
  readonly verb: "create" | "update" | "delete" | "replace";
  /** Id of the policy, ruleset or rule; "" if the entry does not say it, or names none. */
  readonly id: string;
  /**
   * The values that it wrote, by field, as digests; of a `replace` those of the ruleset itself. `undefined`: the entry does
   * not say them.
   */
  readonly values: WrittenValues | undefined;
  /** The values of each rule, by id and by ref, where it wrote all rules of a ruleset, created one with rules, or deleted it. */
  readonly rules?: ReadonlyMap<string, WrittenValues>;
}

/** Whether a write was to all rules of a ruleset at once. */
export function isOfAllRules({ verb, rules }: AuditedWrite): boolean {
  return verb === "replace" || rules !== undefined;
}

/**
 * Digests of values by the name of the field, as a plan names it; of a setting, by the name of the
 * setting.
 */
export type WrittenValues = ReadonlyMap<string, string>;

/**
 * A write that this process sent, with the ids that its answer carried; "" for what it did not
 * carry.
 */
export interface SentWrite {
  readonly method: string;
  /** Below the base path, without a query. */
  readonly path: string;
  readonly sentAt: Date;
  /** `undefined`: under way. */
  readonly endedAt: Date | undefined;
  readonly isAnswered: boolean;
  readonly ray: string;
  readonly entryId: string;
}

/** What this process wrote. */
export interface OwnWrites {
  readonly writes: readonly SentWrite[];
  /** Earlier ones may be left out. */
  readonly completeSince: Date;
}

/** The id of a request without the place that answered it: the audit log leaves that out. */
export function rayId(ray: string): string {
  return ray.replace(/-.*$/, "");
}

/** Who did something; "" for what the service did not say. */
export interface AuditActor {
  readonly type: string;
  /** How: `dash`, `api_token` and so on. */
  readonly context: string;
  readonly email: string;
  readonly tokenId: string;
  readonly tokenName: string;
}

/** How people are written: `masked` shows the first letter and the domain, `none` nothing. */
export type ActorStyle = "full" | "masked" | "none";

/** A part of an audit log. */
export interface AuditRead {
  /** Newest first, as far as the service keeps the order. */
  readonly entries: readonly AuditEntry[];
  /** How many entries could not be understood. */
  readonly malformed: number;
  /** Whether there were more than are read at once: the oldest are missing. */
  readonly isCut: boolean;
}

/**
 * The entries of a read, oldest first. Those of one moment are in the order that the log had, which
 * is newest first.
 */
export function oldestFirst(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  return entries.toReversed().toSorted((a, b) => Number(a.at) - Number(b.at));
}

/** From when to when an audit log is read; `since` is included. */
export interface AuditWindow {
  readonly since: Date;
  readonly before: Date;
}
