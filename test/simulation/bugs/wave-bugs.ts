import type { PlantedBug } from "./planted-bug.ts";

/** Bugs of the waves in which changes reach the zones. */
export const waveBugs: readonly PlantedBug[] = [
  {
    name: "no-soak",
    file: "reconcile/fleet/rollout.ts",
    from: "const hasSoaked = isApplied && leftMs <= 0;",
    to: "const hasSoaked = isApplied && leftMs <= 600_000;",
    story: "waves",
    steps: [],
    invariant: "no-zone-before-its-wave",
  },
  {
    name: "all-waves-at-once",
    file: "reconcile/fleet/rollout.ts",
    from: "this.#waveOf(name) > begun) continue;",
    to: "this.#waveOf(name) > begun + 1) continue;",
    story: "waves",
    steps: [],
    invariant: "no-zone-before-its-wave",
  },
  {
    name: "written-is-applied",
    file: "reconcile/fleet/rollout.ts",
    from: "if (wave !== undefined || !isConverged(report)) return;",
    to: "if (wave !== undefined) return;",
    story: "waves",
    steps: [{ at: 19, does: "bad_request" }],
    invariant: "no-zone-before-its-wave",
  },
  {
    name: "soak-is-forgotten-with-the-process",
    file: "reconcile/fleet/rollout.ts",
    from: "clock.monotonicMs() - passedMs;",
    to: "Number.NEGATIVE_INFINITY;",
    story: "waves",
    steps: [{ at: 28, does: "stop" }],
    invariant: "no-zone-before-its-wave",
  },
  {
    name: "a-pause-begins-waves",
    file: "reconcile/fleet/rollout.ts",
    from: "const begun = this.#halt === undefined ? this.#progress.wave : 0;",
    to: "const begun = this.#progress.wave;",
    story: "waves",
    steps: [
      { at: 20, does: "rollout_pause" },
      { at: 60, does: "sweep" },
    ],
    invariant: "no-wave-while-halted",
  },
  {
    name: "a-restart-forgets-an-abort",
    file: "reconcile/fleet/rollout.ts",
    from: "    this.#halt = halt;\n    if (waiting.size",
    to: '    this.#halt = halt === "paused" ? halt : undefined;\n    if (waiting.size',
    story: "waves",
    steps: [
      { at: 58, does: "files_edited" },
      { at: 67, does: "rollout_abort" },
      { at: 71, does: "stop" },
      { at: 110, does: "sweep" },
    ],
    invariant: "no-wave-while-halted",
  },
  {
    name: "a-restart-resumes",
    file: "reconcile/fleet/rollout.ts",
    from: "    this.#halt = halt;\n    if (waiting.size",
    to: "    if (waiting.size",
    story: "waves",
    steps: [
      { at: 20, does: "rollout_pause" },
      { at: 24, does: "stop" },
    ],
    invariant: "no-wave-while-halted",
  },
];
