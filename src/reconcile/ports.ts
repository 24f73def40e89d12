import type { Write } from "../plan/write.ts";
import type { Script } from "../zone/inventory-item.ts";
import type { LiveZone } from "../zone/live-zone.ts";
import type { Zone } from "../zone/zone.ts";

/** Which parts of a zone a plan needs; what is not declared costs no request. */
export interface PartsToRead {
  readonly settings: boolean;
  readonly policies: boolean;
  readonly rules: boolean;
  readonly scoreRule: boolean;
}

/** How urgent a request is when the budget is short, most urgent first. */
export type Urgency = "write" | "changed" | "sweep" | "inventory";

/** What the service answered about a zone, understood when somebody asks. */
export interface ZoneAnswers {
  /** Equal answers, equal digest. */
  readonly digest: string;
  /** Throws where an answer cannot be understood. */
  readonly live: () => LiveZone;
}

/** The live state, to look at. Nothing that plans is given more than this. */
export interface LiveReader {
  readAnswers(
    zone: Zone,
    wanted: PartsToRead,
    urgency: Urgency,
    signal: AbortSignal,
  ): Promise<ZoneAnswers>;
  /** The scripts that browsers reported of a zone's pages, whatever became of them since. */
  readScripts(zone: Zone, urgency: Urgency, signal: AbortSignal): Promise<readonly Script[]>;
}

/** What a write left behind, as its answer shows it. */
export interface Written {
  readonly live: LiveZone;
  readonly ray: string;
  /** Whether the answer shows that somebody else wrote between our reading and our writing. */
  readonly interleaved: boolean;
}

/** The live state, to change. */
export interface LiveWriter {
  /** `stop` calls off a write that has not been sent: rejects with its reason. `signal` gives up also what is under way. */
  write(live: LiveZone, write: Write, signal: AbortSignal, stop: AbortSignal): Promise<Written>;
}

/** Time, from outside. */
export interface Clock {
  /** The date, for people and windows; somebody may set it. */
  now(): Date;
  /** Milliseconds since some fixed moment, which nobody sets: for waiting. */
  uptime(): number;
  /** Resolves after `ms`, rejects when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `ring` after `ms`, unless what it gives is called before. */
  alarm(ms: number, ring: () => void): () => void;
}
