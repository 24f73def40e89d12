import type { StoredGone, StoredRollout } from "../reconcile/fleet/desired-fleet.ts";
import { type ZoneName, zoneName } from "../zone/zone.ts";
import { fleetKeys, rememberChanged, remembered } from "./state-keys.ts";
import type { StateStore } from "./state-store.ts";

type RolloutStore = Pick<StateStore, "get" | "set" | "keys">;

const { key: zonePrefix } = fleetKeys.rolloutZone;

/**
 * The rollout that was stored while a revision was active; `undefined`: it is not known which zones waited. A zone of which
 * nothing can be read waits, and it is not known what is in force in it.
 */
export function storedRollout(store: RolloutStore, revision: string): StoredRollout | undefined {
  const head = remembered(store, fleetKeys.rollout);
  const keys = store.keys(zonePrefix);
  // A zone whose key is gone would not wait.
  if (head?.revision !== revision || keys.length < head.zones) return undefined;
  const waiting = new Map<ZoneName, string>();
  const gone = new Map<ZoneName, StoredGone>();
  for (const name of keys.flatMap((key) => zoneName(key.slice(zonePrefix.length)) ?? [])) {
    const zone = remembered(store, fleetKeys.rolloutZone, name) ?? { waits: "" };
    if (zone.waits !== undefined) waiting.set(name, zone.waits);
    if (zone.gone !== undefined) gone.set(name, zone.gone);
  }
  return { revision, waiting, gone };
}

/**
 * Stores a rollout: of its zones, those that are otherwise than they are stored.
 *
 * @param rollout `undefined`: there are no waves, or it is not known which zones wait.
 */
export function storeRollout(store: RolloutStore, rollout: StoredRollout | undefined): void {
  if (rollout === undefined && store.get(fleetKeys.rollout.key) === undefined) return;
  const { waiting = new Map<ZoneName, string>(), gone = new Map<ZoneName, StoredGone>() } =
    rollout ?? {};
  const names = new Set([...waiting.keys(), ...gone.keys()]);
  const keys = new Set([...names].map((name) => `${zonePrefix}${name}`));
  for (const key of store.keys(zonePrefix)) if (!keys.has(key)) store.set(key, undefined);
  for (const name of names) {
    const zone = { waits: waiting.get(name), gone: gone.get(name) };
    rememberChanged(store, fleetKeys.rolloutZone, zone, name);
  }
  const head = rollout && { revision: rollout.revision, zones: names.size };
  rememberChanged(store, fleetKeys.rollout, head);
}
