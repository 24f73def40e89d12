import type { RefusalCode } from "../plan/guard/hold.ts";

/** Why a plan is held, in the words of metrics and pages: a closed set, so that no label can grow. */
export const blockReasons = [
  "delete_limit",
  "update_limit",
  "weakening",
  "blocks_seen",
  "conflict",
  "fleet_limit",
  "quota",
  "dry_run",
  "paused",
  "window",
] as const;

/** One of {@link blockReasons}. */
export type BlockReason = (typeof blockReasons)[number];

const reasons: Readonly<Record<RefusalCode, BlockReason>> = {
  TOO_MANY_DELETES: "delete_limit",
  TOO_MANY_UPDATES: "update_limit",
  WEAKENING: "weakening",
  GAP: "weakening",
  BLOCKS_SEEN: "blocks_seen",
  CONTENDED: "conflict",
  TAKEN: "conflict",
  FLEET_CHANGE: "fleet_limit",
  QUOTA: "quota",
  UNDECLARED: "conflict",
  OBSERVED: "dry_run",
  SUSPENDED: "paused",
  FROZEN: "window",
};

/** The reason that a refusal is counted under. */
export function blockReasonOf(code: RefusalCode): BlockReason {
  return reasons[code];
}
