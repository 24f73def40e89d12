import { type Change, onlyStrengthens, weakeningChanges } from "../../plan/change.ts";
import { compareText } from "../../syntax/by-text.ts";
import { shortDigest } from "../../syntax/digest.ts";
import type { Wave, WaveClass } from "../../zone/wave.ts";
import type { ZoneName } from "../../zone/zone.ts";

/** The changes that go out in waves. */
export function changesInWaves(
  changes: readonly Change[],
  appliesTo: WaveClass,
): readonly Change[] {
  switch (appliesTo) {
    case "may_break":
      return changes.filter(({ effect }) => effect.mayBreak);
    case "weakens":
      return weakeningChanges(changes);
    case "all":
      return changes.filter((change) => !onlyStrengthens(change));
  }
}

/**
 * The wave of each zone, counted from 1. A zone that a wave names is in the first wave that does. All others follow in the
 * order of a hash of their names, which is the same for every revision: a wave with a share ends where it and the waves before
 * it have that share of all zones, rounded up. Zones that are left are in the last wave.
 */
export function wavesOf(
  waves: readonly Wave[],
  zones: ReadonlySet<ZoneName>,
): ReadonlyMap<ZoneName, number> {
  const found = new Map<ZoneName, number>();
  for (const [nth, wave] of waves.entries()) {
    const named = wave.by === "zones" ? wave.zones : [];
    for (const name of named) if (zones.has(name) && !found.has(name)) found.set(name, nth + 1);
  }
  const named = new Map(found);
  const others = inOrder([...zones].filter((name) => !named.has(name)));
  let taken = 0;
  for (const [nth, wave] of waves.entries()) {
    if (wave.by === "zones") continue;
    const before = [...named.values()].filter((each) => each <= nth + 1).length;
    const until = Math.max(taken, Math.ceil(wave.share * zones.size) - before);
    for (const name of others.slice(taken, until)) found.set(name, nth + 1);
    taken = until;
  }
  for (const name of others.slice(taken)) found.set(name, waves.length);
  return found;
}

/** The wave in which steps of a zone begin, from 1: a step weakens nothing, and may break a site. */
export function stepWaveOf(
  zone: ZoneName,
  waves: ReadonlyMap<ZoneName, number>,
  appliesTo: WaveClass | undefined,
): number {
  return appliesTo === "weakens" ? 1 : (waves.get(zone) ?? 1);
}

function inOrder(names: Iterable<ZoneName>): readonly ZoneName[] {
  return [...names]
    .map((name) => ({ name, digest: shortDigest(name) }))
    .toSorted((a, b) => compareText(a.digest, b.digest))
    .map(({ name }) => name);
}
