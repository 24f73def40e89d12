import { isHash } from "../plan/guard/release.ts";
import type { AdoptedRule } from "../plan/ownership.ts";
import { FleetPast, type WeakenedBy } from "../reconcile/fleet/fleet-past.ts";
import { coerceText, isJsonObject, type JsonObject, parseName } from "../syntax/json.ts";
import type { Clock } from "../zone/ports.ts";
import { ruleKinds } from "../zone/resource.ts";
import { isRuleRef, isServiceId } from "../zone/service-id.ts";
import { type ZoneName, zoneName } from "../zone/zone.ts";
import type { StateStore } from "./state-store.ts";
import { StoredRuns } from "./stored-runs.ts";

/** What a command stores: by itself if no daemon runs, else it asks the daemon to. */
export interface StoreMessage {
  /** Rules that were adopted. They are added to those of the zone. */
  readonly adopted: ReadonlyMap<ZoneName, readonly AdoptedRule[]>;
  /** Zones that are about to be weakened without a release. */
  readonly weakened: ReadonlyMap<WeakenedBy, readonly ZoneName[]>;
  /** Hashes of plans whose release in `limits.accept` is about to be used. */
  readonly used: readonly string[];
}

const causes: readonly WeakenedBy[] = ["revision", "drift", "named"];

/** More than a fleet has zones, or a zone rules. */
const maxItems = 20_000;

/** Puts a message into a state, in memory: the caller flushes it. */
export function putMessage(
  { adopted, weakened, used }: StoreMessage,
  store: StateStore,
  clock: Pick<Clock, "now">,
): void {
  const runs = new StoredRuns(store);
  for (const [zone, rules] of adopted) {
    const ids = new Set(rules.map(({ id }) => id));
    const others = runs.adopted(zone).filter(({ id }) => !ids.has(id));
    runs.setAdopted(zone, [...others, ...rules]);
  }
  const past = new FleetPast(runs, clock);
  for (const [by, zones] of weakened) past.addWeakened(by, zones);
  if (used.length > 0) runs.setUsedReleases([...new Set([...runs.usedReleases(), ...used])]);
}

/** The zones of a message. */
export function zonesOfMessage({ adopted, weakened }: StoreMessage): readonly ZoneName[] {
  return [...new Set([...adopted.keys(), ...[...weakened.values()].flat()])];
}

/** A message as JSON. */
export function storeMessageJson({ adopted, weakened, used }: StoreMessage): JsonObject {
  return {
    format: 1,
    adopted: Object.fromEntries(
      [...adopted].map(([zone, rules]) => [
        zone,
        rules.map(({ kind, id, ref, key }) => ({ kind, id, ref, key })),
      ]),
    ),
    weakened: Object.fromEntries(weakened),
    // A daemon that does not know it refuses a message only where it matters.
    ...(used.length === 0 ? {} : { used }),
  };
}

/** Reads a message; `undefined` if any part of it is not as {@link storeMessageJson} writes it. */
export function storeMessageIn(json: unknown): StoreMessage | undefined {
  if (!isJsonObject(json)) return undefined;
  const { format, adopted: rulesOf, weakened: zonesOf, used: hashes = [], ...unknown } = json;
  if (format !== 1 || Object.keys(unknown).length > 0) return undefined;
  if (!isJsonObject(rulesOf) || !isJsonObject(zonesOf)) return undefined;
  const adopted = listsIn(rulesOf, exactZone, ruleIn);
  const weakened = listsIn(zonesOf, (name) => parseName(causes, name), exactZone);
  const used = listIn(hashes, hashIn, 0);
  return adopted && weakened && used && { adopted, weakened, used };
}

/** Lists by name; `undefined` if one of them or its name is wrong, or there are too many. */
function listsIn<K, T>(
  json: JsonObject,
  nameIn: (name: string) => K | undefined,
  itemIn: (item: unknown) => T | undefined,
): ReadonlyMap<K, readonly T[]> | undefined {
  const entries = Object.entries(json);
  if (entries.length > maxItems) return undefined;
  const lists = new Map<K, readonly T[]>();
  for (const [text, value] of entries) {
    const [name, items] = [nameIn(text), listIn(value, itemIn)];
    if (name === undefined || items === undefined) return undefined;
    lists.set(name, items);
  }
  return lists;
}

/** The items of a list; `undefined` if one of them is wrong, there are fewer than `least`, or too many. */
function listIn<T>(
  value: unknown,
  itemIn: (item: unknown) => T | undefined,
  least = 1,
): T[] | undefined {
  if (!Array.isArray(value) || value.length < least || value.length > maxItems) return undefined;
  const items = value.map((item: unknown) => itemIn(item)).filter((item) => item !== undefined);
  return items.length === value.length ? items : undefined;
}

function hashIn(value: unknown): string | undefined {
  const text = coerceText(value);
  return isHash(text) ? text : undefined;
}

function exactZone(value: unknown): ZoneName | undefined {
  const name = zoneName(coerceText(value));
  return name === value ? name : undefined;
}

function ruleIn(value: unknown): AdoptedRule | undefined {
  if (!isJsonObject(value)) return undefined;
  // Before there were other kinds, all rules were of the managed phase.
  const { kind: name = "managed_rule", ...rest } = value;
  if (Object.keys(rest).length !== 3) return undefined;
  const kind = parseName(ruleKinds, name);
  const id = coerceText(value["id"]);
  const ref = coerceText(value["ref"]);
  const key = coerceText(value["key"]);
  const isRule = kind !== undefined && isServiceId(id) && isRuleRef(ref) && isRuleRef(key);
  return isRule ? { kind, id, ref, key } : undefined;
}
