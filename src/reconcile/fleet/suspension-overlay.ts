import type { Suspension, ZoneContent } from "../../zone/desired-zone.ts";
import { digestOf } from "./desired-fleet.ts";

/**
 * Whether a new declaration of a zone only suspends it: it differs in a stricter `mode` or a longer `suspend` alone, or
 * nothing is ever written by it.
 */
export function onlySuspends(before: ZoneContent, after: ZoneContent): boolean {
  return isNeverWritten(after) || digestOf(withSuspensionOf(before, after)) === digestOf(after);
}

/** A declaration with the stricter `mode` and the longer `suspend` of two; `content` itself where `other` adds none. */
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
