import { itemKinds, itemStatuses, resourceKinds } from "../../zone/inventory-item.ts";
import type { MetricDefinition } from "./exposition.ts";

const zone = "declared zones";

/** What browsers reported, zone by zone: 31 series where a zone has all of them. */
export const inventoryMetrics = {
  inventoryInterval: {
    name: "zonewarden_inventory_interval_seconds",
    type: "gauge",
    labels: {},
    help: "Time from one reading of a zone's inventory to the next. No series of the inventory where it is off.",
  },
  inventoryReadAt: {
    name: "zonewarden_inventory_last_success_timestamp_seconds",
    type: "gauge",
    labels: { zone },
    help: "When what browsers reported of the zone was last read; 0 until then.",
  },
  inventoryFailing: {
    name: "zonewarden_inventory_failing",
    type: "gauge",
    labels: { zone },
    help: "Whether the last reading of the zone's inventory failed.",
  },
  inventoryRefused: {
    name: "zonewarden_inventory_refused",
    type: "gauge",
    labels: { zone, kind: itemKinds },
    help: "Whether token or contract did not let this kind be read, while others were; no series before the first reading.",
  },
  inventoryItems: {
    name: "zonewarden_inventory_items",
    type: "gauge",
    labels: { zone, kind: itemKinds, status: itemStatuses },
    help: "Scripts, connections and cookies on record; cookies have no status. No series before the first reading.",
  },
  inventoryFresh: {
    name: "zonewarden_inventory_new_items",
    type: "gauge",
    labels: { zone, kind: itemKinds },
    help: "Of these, first seen within the day before the reading.",
  },
  inventoryMalicious: {
    name: "zonewarden_inventory_malicious_items",
    type: "gauge",
    labels: { zone, kind: resourceKinds, status: itemStatuses },
    help: "Of these, malicious: reported, or with an integrity score below impact.malicious_below; of a zone with more than 200 the newest 200.",
  },
  inventoryFound: {
    name: "zonewarden_inventory_malicious_found_total",
    type: "counter",
    labels: { zone, kind: resourceKinds },
    help: "Malicious items that the reading before did not show; after a start, those first seen within the last day.",
  },
  inventoryOutside: {
    name: "zonewarden_inventory_scripts_outside_policies",
    type: "gauge",
    labels: { zone },
    help: "Scripts in use that no enforced policy of the zone lets in; no series where it enforces none.",
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;
