import type { Suspension, ZoneContent } from "../../zone/desired-zone.ts";
import { digestOf } from "../run/zone-memory.ts";

/**
 * Whether a new declaration of a zone lets nothing be written that the one before would not have: it is as before but
 * for a stricter `mode` or a longer `suspend`, or nothing is written by it at all until somebody edits it again.
 */
export function onlySuspends(before: ZoneContent, after: ZoneContent): boolean {
  return isNeverWritten(after) || digestOf(withSuspensionOf(before, after)) === digestOf(after);
}

/** A declaration that is written as little as the stricter of two; the first itself where the second is no stricter. */
export function withSuspensionOf(content: ZoneContent, other: ZoneContent): ZoneContent {
  const mode = other.mode === "observe" ? "observe" : content.mode;
  const suspension = longer(content.suspension, other.suspension);
  if (mode === content.mode && suspension === content.suspension) return content;
  return { ...content, mode, suspension };
}

function isNeverWritten({ mode, suspension }: ZoneContent): boolean {
  return mode === "observe" || endOf(suspension) === Infinity;
}

function longer(a: Suspension | undefined, b: Suspension | undefined): Suspension | undefined {
  return endOf(b) >= endOf(a) ? b : a;
}

function endOf(suspension: Suspension | undefined): number {
  if (suspension === undefined) return -Infinity;
  return suspension.until === undefined ? Infinity : Number(suspension.until);
}
