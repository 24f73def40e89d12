import { memoized } from "../../syntax/remembered.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import { atSteps, promotedObjects } from "../../zone/promoted-objects.ts";
import type { FleetZone } from "../fleet/desired-fleet.ts";
import { stepIndex, type ZoneSteps } from "./step-state.ts";

/** `undefined`: no step is known. */
type States = ZoneSteps["objects"] | undefined;

/** The objects of content that have steps. Unchanged files give the same content objects again. */
export const promotedIn = memoized(promotedObjects);

/** The last content that was made of each, so that what stays the same is the same object. */
const stepped = new WeakMap<
  ZoneContent,
  { readonly steps: string; readonly content: ZoneContent }
>();

/** Content with the steps in force that are known; the same content where that is none. */
export function contentAtSteps(content: ZoneContent, states: States): ZoneContent {
  const indexes = [...promotedIn(content)].flatMap(([key, { promotion }]) => {
    const index = stepIndex(states?.get(key), promotion);
    return index === undefined ? [] : [[key, index] as const];
  });
  if (indexes.length === 0) return content;
  const steps = indexes.join(" ");
  const known = stepped.get(content);
  if (known?.steps === steps) return known.content;
  const made = atSteps(content, new Map(indexes));
  stepped.set(content, { steps, content: made });
  return made;
}

/**
 * A zone with the steps in force that are known, also in what waits for a wave and what is held, so that all are compared at
 * the same steps. Its digests stay those of what is declared.
 */
export function zoneAtSteps(zone: FleetZone, states: States): FleetZone {
  if (states === undefined || states.size === 0) return zone;
  const { desired, wave, held } = zone;
  return {
    ...zone,
    desired: { ...desired, content: contentAtSteps(desired.content, states) },
    ...(wave && { wave: { ...wave, content: contentAtSteps(wave.content, states) } }),
    ...(held && { held: { ...held, content: contentAtSteps(held.content, states) } }),
  };
}
