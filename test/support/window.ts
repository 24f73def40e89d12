import type { Window } from "../../src/zone/window.ts";

/** A freeze of a day, from Friday evening on, unless something else is said. */
export function window(changes: Partial<Window> = {}): Window {
  return {
    name: "w",
    type: "freeze",
    start: "0 22 * * 5",
    durationMs: 24 * 3_600_000,
    timezone: "Etc/UTC",
    letStrengtheningPass: false,
    ...changes,
  };
}
