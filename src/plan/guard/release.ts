import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { canonicalJson } from "../../syntax/json.ts";
import type { Plan } from "../plan.ts";

/** A release that was used: its plan was carried out, as far as that went. */
export interface UsedRelease {
  readonly hash: string;
  /** What was released and has not been carried out. */
  readonly rest: Pick<Plan, "zone" | "writes">;
}

/** What persons have released. */
export interface Releases {
  /** Hashes of plans. */
  readonly accept: readonly string[];
  /** Each release is for one carrying out, since who released a plan saw that one only. */
  readonly used: readonly UsedRelease[];
}

/** Whether a person has released a plan, or one of which it is what has not been carried out. */
export function isReleased(plan: Plan, { accept, used }: Releases): boolean {
  if (used.some((release) => isRestOf(plan, release))) return true;
  if (accept.length === 0) return false;
  const hash = planHash(plan);
  return accept.includes(hash) && !isUsed(hash, used);
}

/** Whether a plan does nothing but what is left of a released one. */
export function isRestOf({ zone, writes }: Plan, { rest }: UsedRelease): boolean {
  return (
    zone.id === rest.zone.id &&
    writes.length > 0 &&
    writes.every((write) => rest.writes.some((other) => isDeepStrictEqual(other, write)))
  );
}

/** How a person lets a plan pass. */
export function howToRelease(plan: Plan, { used }: Releases): string {
  const hash = planHash(plan);
  return isUsed(hash, used)
    ? `take ${hash}, which was used, out of limits.accept and put it in again`
    : `release this plan once with --accept ${hash}`;
}

function isUsed(hash: string, used: readonly UsedRelease[]): boolean {
  return used.some((release) => release.hash === hash);
}

/** Names a plan by what it would write, in 12 hexadecimal digits: the same zone and the same requests, the same hash. */
export function planHash({ zone, writes }: Plan): string {
  const facts = canonicalJson([zone.id, writes.map((write) => ({ ...write }))]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 12);
}

/** Whether a text has the form of a plan's hash. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}
