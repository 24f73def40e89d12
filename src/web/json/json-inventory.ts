import type { InventoryFacts, InventoryState, ItemBrief } from "../../state/inventory.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { fleetInventory, isInventoryOn } from "../pages/fleet-inventory.ts";
import { failureJson, type JsonBody } from "./json-parts.ts";

/** What browsers reported in all zones, in numbers; `null` where nobody looks. */
export function fleetInventoryJson(zones: readonly ZoneState[]): JsonBody | null {
  if (!isInventoryOn(zones)) return null;
  const { zones: counts, malicious, outside } = fleetInventory(zones);
  return {
    malicious_items: malicious ?? null,
    scripts_outside_policies: outside ?? null,
    zones: counts,
  };
}

/** What is known of a zone's inventory. */
export function inventoryJson({
  readAt,
  facts,
  failure,
  failingSince,
  found,
}: InventoryState): JsonBody {
  return {
    read_at: readAt ?? null,
    failure: failure === undefined ? null : failureJson(failure),
    failing_since: failingSince ?? null,
    malicious_found: found,
    facts: facts === undefined ? null : factsJson(facts),
  };
}

function factsJson({
  kinds,
  refused,
  malicious,
  newest,
  outside,
  impact,
}: InventoryFacts): JsonBody {
  return {
    kinds: Object.fromEntries(kinds),
    refused: Object.fromEntries([...refused].map(([kind, why]) => [kind, failureJson(why)])),
    malicious: malicious.map(itemJson),
    newest: newest.map(itemJson),
    outside_policies:
      outside === undefined
        ? null
        : { count: outside.count, unclear: outside.unclear, some: outside.some.map(itemJson) },
    impact,
  };
}

function itemJson({ kind, id, what, where, firstSeenAt, malicious }: ItemBrief): JsonBody {
  return {
    kind,
    id,
    what,
    where,
    first_seen_at: firstSeenAt ?? null,
    malicious_reasons: malicious,
  };
}
