import type { RolloutTurn } from "../../state/rollout-turn.ts";

/** Where a rollout is, as far as turns follow from it. */
interface Now {
  /** Hash of the active revision. */
  readonly revision: string;
  readonly isAborted: boolean;
  /** Whether a zone waits in which something goes out in waves. */
  readonly isWaiting: boolean;
  readonly isOver: boolean;
  /** Zones that are over a limit of the gate; `undefined`: none. */
  readonly over: Required<Pick<RolloutTurn, "wave" | "zones" | "why">> | undefined;
}

/** What happens to a rollout; each turn is given once. */
export class RolloutTurns {
  /** Hash of the revision whose rollout began and did not end. */
  #goingOut: string | undefined;
  #replaced: string | undefined;
  /** What people asked since the last {@link take}. */
  #asked: RolloutTurn[] = [];
  /** The waves of which zones went since then, and how many of each. */
  #begun = new Map<number, number>();
  /** Whether a zone was over a limit of the gate at the last call. */
  #isOverKnown = false;

  /** Hash of the revision whose rollout had not ended when this one's began. */
  get replaced(): string | undefined {
    return this.#replaced;
  }

  /** The rollout of a revision began in the process before this one. */
  restore(revision: string): void {
    this.#goingOut = revision;
  }

  /** A person asked for something. An abort ends the rollout, without another turn. */
  add(turn: RolloutTurn): void {
    this.#asked.push(turn);
    if (turn.turn === "aborted") this.#goingOut = undefined;
  }

  /** A zone does not wait any longer. */
  wentIn(wave: number): void {
    this.#begun.set(wave, (this.#begun.get(wave) ?? 0) + 1);
  }

  /** Takes what happened since the last call. */
  take({ revision, isAborted, isWaiting, isOver, over }: Now): readonly RolloutTurn[] {
    const former = this.#goingOut;
    const turns: RolloutTurn[] = [];
    if (former === undefined) {
      const isUnderWay = isWaiting || this.#begun.size > 0;
      if (isUnderWay && !isAborted) turns.push({ turn: "began" });
    } else if (former !== revision) {
      turns.push({ turn: "replaced", former });
      this.#replaced = former;
    }
    if (turns.length > 0) this.#goingOut = revision;
    turns.push(...this.#asked);
    this.#asked = [];
    const begun = [...this.#begun].toSorted(([a], [b]) => a - b);
    this.#begun = new Map();
    for (const [wave, zones] of begun) turns.push({ turn: "wave_began", wave, zones });
    if (over !== undefined && !this.#isOverKnown) turns.push({ turn: "gate_over", ...over });
    this.#isOverKnown = over !== undefined;
    if (this.#goingOut !== undefined && isOver) {
      turns.push({ turn: "ended" });
      this.#goingOut = undefined;
      this.#replaced = undefined;
    }
    return turns;
  }
}
