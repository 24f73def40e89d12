import { firstOf } from "../syntax/first-of.ts";
import type { LoadReport } from "./load-report.ts";

/**
 * What happened to a rollout:
 *
 * - `began`: a revision goes out in waves.
 * - `replaced`: a newer revision took over from one whose rollout had not ended.
 * - `wave_began`: zones of a wave do not wait any longer.
 * - `gate_over`: zones are over a limit of the gate, and none was before.
 * - `ended`: no zone waits, and each that went was seen as declared.
 * - `paused`, `resumed`, `promoted`, `aborted`: a person asked for it.
 */
export const rolloutTurns = [
  "began",
  "replaced",
  "wave_began",
  "gate_over",
  "ended",
  "paused",
  "resumed",
  "promoted",
  "aborted",
] as const;

/** Who asked for a turn. */
export interface Asker {
  /** As they say it; "": they do not. */
  readonly by: string;
  /** Remote address of the socket. */
  readonly from: string;
}

export interface RolloutTurn extends Partial<Asker> {
  readonly turn: (typeof rolloutTurns)[number];
  /** Of `wave_began` and `gate_over`: the wave, counted from 1. */
  readonly wave?: number | undefined;
  /** How many zones do not wait any longer, are over a limit, or go back. */
  readonly zones?: number | undefined;
  /** Of `replaced`: the hash of the revision before. */
  readonly former?: string | undefined;
  /** Of what a person asked: the zones whose steps it is about; left out: it is about the waves. */
  readonly stepsOf?: readonly string[] | undefined;
  /** Of `gate_over`: what is over which limit, in the first zones. */
  readonly why?: string | undefined;
}

/** A turn as the history keeps it. */
export interface RolloutRecord extends RolloutTurn {
  readonly at: Date;
  readonly revision: string;
  /** Git's name for the revision. */
  readonly commit: string | undefined;
}

export function recordOfTurn(
  turn: RolloutTurn,
  { at, revision, commit }: LoadReport,
): RolloutRecord {
  return { ...turn, at, revision, commit };
}

/** A revision in a sentence, from its hash. */
export function nameOfRevision(hash: string): string {
  return `sha256-${hash.slice(0, 12)}`;
}

/** Zones that a sentence names. */
const mostNamed = 5;

/** `wave 2 began: 31 zones do not wait any longer`, or `rollout promoted in 3 zones by mia (10.0.0.7)`. */
export function turnText(happened: RolloutTurn): string {
  const { turn, stepsOf } = happened;
  if (stepsOf === undefined) return turnOfWavesText(happened);
  return `steps ${turn} in ${firstOf(stepsOf, mostNamed)} by ${askerText(happened)}`;
}

function turnOfWavesText(happened: RolloutTurn): string {
  const { turn, wave, former = "" } = happened;
  const zones = zonesText(happened);
  switch (turn) {
    case "began":
    case "ended":
      return `rollout ${turn}`;
    case "replaced":
      return `rollout replaced: that of ${nameOfRevision(former)} had not ended`;
    case "wave_began":
      return `wave ${wave} began: ${zones} ${zones === "1 zone" ? "does" : "do"} not wait any longer`;
    case "gate_over":
      return gateText(happened);
    case "paused":
    case "resumed":
      return `rollout ${turn} by ${askerText(happened)}`;
    case "promoted":
    case "aborted":
      return `rollout ${turn} in ${zones} by ${askerText(happened)}`;
  }
}

function zonesText({ zones = 0 }: RolloutTurn): string {
  return zones === 1 ? "1 zone" : `${zones} zones`;
}

/** `mia (10.0.0.7)`. */
export function askerText({ by = "", from = "" }: Partial<Asker>): string {
  return by === "" ? from : `${by} (${from})`;
}

function gateText({ wave, why = "" }: RolloutTurn): string {
  return `the gate of wave ${wave} is shut: ${why}`;
}
