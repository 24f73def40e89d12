import type { RefusalCode } from "../plan/refusal.ts";

/** Why a plan is held, in the words of metrics and pages: a closed set, so that no label can grow. */
export const blockReasons = [
  "delete_limit",
  "update_limit",
  "weakening",
  "conflict",
  "fleet_limit",
  "quota",
  "dry_run",
  "paused",
  "window",
] as const;

/** One of {@link blockReasons}. */
export type BlockReason = (typeof blockReasons)[number];

/** The reason that a refusal is counted under. */
export function blockReasonOf(code: RefusalCode): BlockReason {
  switch (code) {
    case "TOO_MANY_DELETES":
      return "delete_limit";
    case "TOO_MANY_UPDATES":
      return "update_limit";
    case "WEAKENING":
    case "GAP":
      return "weakening";
    case "CONTENDED":
    case "TAKEN":
      return "conflict";
    case "FLEET_CHANGE":
      return "fleet_limit";
    case "QUOTA":
      return "quota";
    case "OBSERVED":
      return "dry_run";
    case "SUSPENDED":
      return "paused";
    case "FROZEN":
      return "window";
  }
}
