import { isDeepStrictEqual } from "node:util";

import { sha256 } from "../../syntax/digest.ts";
import { canonicalJson } from "../../syntax/json.ts";
import { memoized } from "../../syntax/remembered.ts";
import type { Plan } from "../plan.ts";
import type { Hold } from "./hold.ts";

/** A release that was used: its plan was applied, in whole or in part. */
export interface UsedRelease {
  readonly hash: string;
  /** What was released and is not applied yet; `undefined` if that is not known: then it has to be released again. */
  readonly rest: Pick<Plan, "zone" | "writes"> | undefined;
}

/** The releases that people gave. */
export interface Releases {
  /** Hashes of plans. */
  readonly accept: readonly string[];
  /** A release is good for one apply, since the person reviewed that one plan. */
  readonly used: readonly UsedRelease[];
}

/** Whether a person released this plan, or a plan of which this is the part that was not applied. */
export function isReleased(plan: Plan, { accept, used }: Releases): boolean {
  if (used.some((release) => isRestOf(plan, release))) return true;
  if (accept.length === 0) return false;
  const hash = planHash(plan);
  return accept.includes(hash) && !isUsed(hash, used);
}

/** Whether all writes of a plan are among the writes left of a released one. */
export function isRestOf({ zone, writes }: Plan, { rest }: UsedRelease): boolean {
  return (
    rest !== undefined &&
    zone.id === rest.zone.id &&
    writes.length > 0 &&
    writes.every((write) => rest.writes.some((other) => isDeepStrictEqual(other, write)))
  );
}

/** How a person releases a plan. */
export interface ReleaseHint {
  /** In words that follow "or". */
  readonly words: string;
  /** What to accept; `undefined`: it was used, and accepting it alone releases nothing. */
  readonly hash: string | undefined;
}

/** Tells a person how to release a plan. */
export function howToRelease(plan: Plan, { used }: Releases): ReleaseHint {
  const hash = planHash(plan);
  const isDaemons = isOfDaemon(plan.holds);
  if (isUsed(hash, used)) {
    const orApply = isDaemons ? "" : ", or give it to apply --accept";
    const again = `out of limits.accept and put it in again${orApply}`;
    return { words: `take ${hash}, which was used, ${again}`, hash: undefined };
  }
  const how = isDaemons ? `: add ${hash} to limits.accept of the daemon` : ` with --accept ${hash}`;
  return { words: `release this plan once${how}`, hash };
}

/** Whether no command has a plan with these holds: it follows from another revision than that of the files on the disk. */
export function isOfDaemon(holds: readonly Pick<Hold, "reason">[]): boolean {
  return holds.some(({ reason }) => reason === "set_back");
}

function isUsed(hash: string, used: readonly UsedRelease[]): boolean {
  return used.some((release) => release.hash === hash);
}

/**
 * The hash of a plan, 64 hexadecimal digits: equal zone, equal changes from the same values, and equal writes, equal hash.
 * Who releases a change from 2 to 3 has not agreed to one from 4 to 3. It is computed once for a plan, which does not change:
 * the guards ask for it before each attempt of each of its writes.
 */
export const planHash = memoized(({ zone, writes, changes }: Plan): string => {
  const compared = changes.map(({ key, verb, fields }) => ({ key, verb, fields }));
  return sha256(canonicalJson([zone.id, writes, compared]));
});

/** Whether a text has the form of the hash of a plan or of a revision. */
export function isHash(text: string): boolean {
  return /^(?:sha256-)?[0-9a-f]{64}$/.test(text);
}
