import { memoized } from "../../syntax/remembered.ts";
import {
  declaredLists,
  keysOf,
  type ResourceKeys,
  type ZoneContent,
} from "../../zone/desired-zone.ts";
import { atSteps, promotedObjects } from "../../zone/promoted-objects.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import type { FleetZone } from "../fleet/desired-fleet.ts";
import { stepIndex, type StepState, type ZoneSteps } from "./step-state.ts";

/** `undefined`: no step is known. */
type States = ZoneSteps["objects"] | undefined;

/** The objects of content that have steps. Unchanged files give the same content objects again. */
export const promotedIn = memoized(promotedObjects);

/** The former keys of resources. One that is declared, or that several name, tells nothing. */
const formerKeys = memoized((content: ZoneContent): ReadonlyMap<ResourceKey, ResourceKey> => {
  const declared: readonly ResourceKeys[] = [
    ...(content.policies?.items ?? []).map((policy) => keysOf("policy", policy)),
    ...declaredLists(content).flatMap(({ rules }) => rules),
  ];
  const keys = new Set(declared.map(({ key }) => key));
  const named = Map.groupBy(declared, ({ was }) => was);
  return new Map(
    declared.flatMap(({ key, was }) =>
      was === undefined || keys.has(was) || named.get(was)?.length !== 1 ? [] : [[key, was]],
    ),
  );
});

/** The state of an object of content, also where it is known under its former key. */
export function stateOf(
  key: ResourceKey,
  content: ZoneContent,
  states: States,
): StepState | undefined {
  const former = formerKeys(content).get(key);
  return states?.get(key) ?? (former && states?.get(former));
}

/** The last content that was made of each, so that what stays the same is the same object. */
const stepped = new WeakMap<
  ZoneContent,
  { readonly steps: string; readonly content: ZoneContent }
>();

/** Content with the steps in force that are known; the same content where that is none. */
export function contentAtSteps(content: ZoneContent, states: States): ZoneContent {
  const indexes = [...promotedIn(content)].flatMap(([key, { promotion }]) => {
    const index = stepIndex(stateOf(key, content, states), promotion);
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
