import type { LoadReport } from "./load-report.ts";

/**
 * What happened to a rollout:
 *
 * - `began`: a revision goes out in waves.
 * - `replaced`: a newer revision took over from one whose rollout had not ended.
 * - `wave_began`: zones of a wave do not wait any longer.
 * - `ended`: no zone waits, and each that went was seen as declared.
 */
export const rolloutTurns = ["began", "replaced", "wave_began", "ended"] as const;

export interface RolloutTurn {
  readonly turn: (typeof rolloutTurns)[number];
  /** Of `wave_began`: the wave, counted from 1, and how many of its zones do not wait any longer. */
  readonly wave?: number | undefined;
  readonly zones?: number | undefined;
  /** Of `replaced`: the hash of the revision before. */
  readonly former?: string | undefined;
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
export function shortRevision(hash: string): string {
  return `sha256-${hash.slice(0, 12)}`;
}

/** `wave 2 began: 31 zones do not wait any longer`. */
export function turnText({ turn, wave = 0, zones = 0, former = "" }: RolloutTurn): string {
  switch (turn) {
    case "began":
      return "rollout began";
    case "replaced":
      return `rollout replaced: that of ${shortRevision(former)} had not ended`;
    case "wave_began":
      return `wave ${wave} began: ${zones} ${zones === 1 ? "zone does" : "zones do"} not wait any longer`;
    case "ended":
      return "rollout ended";
  }
}
