import type { Effect } from "./change.ts";

/** No effect on protection. */
export const neutral: Effect = { direction: "neutral", mayBreak: false, reasons: [] };

/** More protection, which may block visitors where `mayBreak` says so. */
export function strengthens(reason: string, mayBreak: boolean): Effect {
  return { direction: "strengthens", mayBreak, reasons: [reason] };
}

/** Less protection. */
export function weakens(reason: string): Effect {
  return { direction: "weakens", mayBreak: false, reasons: [reason] };
}

/** An effect that cannot be told from the outside; it may go either way. */
export function unclear(reason: string, mayBreak: boolean): Effect {
  return { direction: "unclear", mayBreak, reasons: [reason] };
}

/** The effect of several things at once: where one strengthens and another weakens, nobody can tell which counts more. */
export function combine(effects: readonly Effect[]): Effect {
  const telling = effects.filter(({ direction }) => direction !== "neutral");
  const directions = new Set(telling.map(({ direction }) => direction));
  const [only] = directions;
  return {
    direction: only === undefined ? "neutral" : directions.size === 1 ? only : "unclear",
    mayBreak: effects.some(({ mayBreak }) => mayBreak),
    reasons: effects.flatMap(({ reasons }) => reasons),
  };
}
