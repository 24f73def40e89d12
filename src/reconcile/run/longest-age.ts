import { runDeadlineMs } from "./deadline.ts";

/** Where nothing had to wait, a reading is good for writes for so long. */
const usualMs = 60_000;

/** However long writes waited: a run that is given up for its length must not be one that only waits. */
const mostMs = runDeadlineMs / 2;

/**
 * How old a reading may be when a write that rests on it is sent. Where writes waited for longer, and were called off,
 * they may wait twice as long the next time: else a tight budget would be spent on reading alone, for ever.
 *
 * @param outdated how many tries ended so, one after the other.
 */
export function maxReadAgeMs(outdated: number): number {
  return Math.min(usualMs * 2 ** outdated, mostMs);
}
