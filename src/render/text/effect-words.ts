import type { Direction, Effect } from "../../plan/change.ts";

/** Signs in front of effects. */
export const effectMarks = {
  strengthens: { sign: "▲", style: "green" },
  weakens: { sign: "▼", style: "red" },
  neutral: { sign: "·", style: "dim" },
  unclear: { sign: "◆", style: "magenta" },
} as const;

const names: Readonly<Record<Direction, string>> = {
  strengthens: "strengthens",
  weakens: "weakens",
  neutral: "neutral",
  unclear: "cannot be told",
};

/** An effect in a word or two, with its sign: `▲ strengthens, may break`. */
export function effectWords({ direction, mayBreak }: Effect): string {
  const { sign } = effectMarks[direction];
  if (direction === "unclear" && mayBreak) return `${sign} may break`;
  return `${sign} ${names[direction]}${mayBreak ? ", may break" : ""}`;
}
