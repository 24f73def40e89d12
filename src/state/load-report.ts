import type { Hold } from "../plan/guard/hold.ts";
import { type Diagnostic, isError, messageWithZones } from "../zone/diagnostic.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { GateStatus } from "./rollout-gate.ts";

/**
 * What one load of the files came to:
 *
 * - `applied`: the whole revision is active, and was not before.
 * - `unchanged`: the whole revision is active, and was before.
 * - `partial`: the revision is active, except for what has errors: that keeps its last good version in this process, or
 *   is left out if it has none.
 * - `held`: a guard holds the revision; the one before it stays active.
 * - `rejected`: nothing of it is usable; the revision before it stays active, if there is one.
 */
export const loadResults = ["applied", "unchanged", "partial", "held", "rejected"] as const;

export type LoadResult = (typeof loadResults)[number];

/**
 * A revision of the files that a guard holds, while the one before it stays active. At the first start, it is the active
 * revision itself: zones are compared with it, and nothing is written.
 */
export interface HeldRevision {
  readonly revision: string;
  /** Git's name for it. */
  readonly commit?: string | undefined;
  /** Hash of its content, hexadecimal. */
  readonly hash: string;
  readonly hold: Hold;
  /** Active zones that it would change or drop. */
  readonly zones: number;
}

/** What a person made of a rollout: `paused` until it is resumed, `aborted` until another revision is active. */
export const rolloutHalts = ["paused", "aborted"] as const;

export type RolloutHalt = (typeof rolloutHalts)[number];

/**
 * Where a zone of a wave is:
 *
 * - `waiting`: what was in force before is.
 * - `changing`: it does not wait any longer, and was not seen as declared since.
 * - `applied`: it was.
 * - `unchanged`: the rollout changes nothing in it that goes out in waves.
 */
export const zonesOfWave = ["waiting", "changing", "applied", "unchanged"] as const;

export type ZoneOfWave = (typeof zonesOfWave)[number];

/** The zones of a wave, counted from 1. */
export type WaveStatus = { readonly wave: number } & Readonly<
  Record<ZoneOfWave, readonly ZoneName[]>
>;

/** Where a rollout is, while zones wait for their wave, or were not seen as declared after it began. */
export interface RolloutStatus {
  readonly state: "running" | RolloutHalt;
  /** The last wave that has begun, counted from 1. */
  readonly wave: number;
  readonly waves: number;
  /** Zones of the waves that have begun that keep the next one from beginning. */
  readonly unsettled: readonly ZoneName[];
  /** When the next wave begins; `undefined`: it waits for zones, or none follows. */
  readonly nextAt: Date | undefined;
  /** How many zones of each wave wait. */
  readonly waiting: ReadonlyMap<number, number>;
  /** Zones that keep the gate of the wave from opening; left out: none. */
  readonly gate?: GateStatus | undefined;
  /** Hash of the revision whose rollout had not ended when this one's began; left out: none, or a process before this one knew. */
  readonly replaced?: string | undefined;
}

export interface LoadReport {
  readonly result: LoadResult;
  /** Where the files are, as the configuration says it. */
  readonly source: string;
  /** Active revision after the load, by its content; "": none ever was active. */
  readonly revision: string;
  /** Git's name for it: a label, `undefined` if there is none. */
  readonly commit?: string | undefined;
  /** Hash of the active content, hexadecimal; "": none ever was active. */
  readonly hash: string;
  /** `undefined` unless the result is `held`. */
  readonly held: HeldRevision | undefined;
  /** Left out: no zone waits for its wave. */
  readonly rollout?: RolloutStatus | undefined;
  /** Everything that is wrong in the files and in the configuration now. */
  readonly diagnostics: readonly Diagnostic[];
  /** Zones that the active revision declares. */
  readonly zones: number;
  readonly at: Date;
}

/** Whether the active revision itself is held: it was never applied as far as the daemon knows. */
export function isFirstRound({ held, hash }: LoadReport): boolean {
  return held !== undefined && held.hash === hash;
}

/** Whether everything in the files is active. */
export function isLoaded({ result }: Pick<LoadReport, "result">): boolean {
  return result === "applied" || result === "unchanged";
}

/** Files that are listed by name; of more, their number is given. */
const listed = 10;

/** Files with errors, as `a.yaml, b.yaml and 3 more`. */
export function brokenFiles(diagnostics: readonly Diagnostic[]): string {
  const files = [...new Set(diagnostics.filter(isError).map(({ place }) => place.file))];
  const more = files.length > listed ? ` and ${files.length - listed} more` : "";
  return `${files.slice(0, listed).join(", ")}${more}`;
}

/** The first error with its place and remedy, and how many there are in which files; "": there is none. */
export function errorSummary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError);
  const [first] = errors;
  if (first === undefined) return "";
  const { place, remedy } = first;
  const text = `${place.file}:${place.line}: ${messageWithZones(first)}; ${remedy}`;
  return errors.length === 1 ? text : `${errors.length} errors in ${brokenFiles(errors)}; ${text}`;
}
