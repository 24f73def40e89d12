import type { Suspension, ZoneContent } from "../../zone/desired-zone.ts";
import type { ZoneName } from "../../zone/zone.ts";
import { digestOf } from "./desired-fleet.ts";

/** What zones are compared by: a `FleetZone` has it. */
export type ComparedZones = ReadonlyMap<
  ZoneName,
  { readonly desired: { readonly content: ZoneContent }; readonly digest: string }
>;

/**
 * Whether a new declaration of a zone only suspends it: it differs in a stricter `mode` or a longer `suspend` alone, or
 * nothing is ever written by it.
 */
export function onlySuspends(before: ZoneContent, after: ZoneContent): boolean {
  return isNeverWritten(after) || digestOf(withSuspensionOf(before, after)) === digestOf(after);
}

/** The digests of new declarations to compare: of a zone that is only suspended, the digest before. */
export function comparedDigests(
  before: ComparedZones,
  after: ComparedZones,
  isFormer: (name: ZoneName, digest: string) => boolean = () => false,
): ReadonlyMap<ZoneName, string> {
  return new Map(
    [...after].map(([name, { desired, digest }]) => {
      const known = before.get(name);
      if (known === undefined || known.digest === digest) return [name, digest];
      const isSame = onlySuspends(known.desired.content, desired.content) || isFormer(name, digest);
      return [name, isSame ? known.digest : digest];
    }),
  );
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
