import { everythingSeen } from "../api/read/item-query.ts";
import type { Config } from "../desired/config/config.ts";
import type { Host } from "../host/host.ts";
import { InventoryRounds, type InventoryRoundsOptions } from "../reconcile/inventory-rounds.ts";
import { renderImpacts } from "../render/impact-text.ts";
import type { Subscriber } from "../state/fleet.ts";
import { logInternalError, logInventory } from "../telemetry/log/log-reports.ts";
import type { DaemonParts } from "./daemon-parts.ts";

/** How inventories are looked at by a configuration; `undefined`: not at all. */
export function inventoryOptions({
  inventory,
  impact,
  desired,
}: Config): InventoryRoundsOptions | undefined {
  if (inventory === undefined) return undefined;
  const { maliciousBelow } = impact;
  return { ...inventory, maliciousBelow, owner: desired.owner };
}

/** Connects the rounds with the service and with everyone who hears of what they find. */
export function createInventoryRounds(
  { config, service, fleet, logger }: DaemonParts,
  { clock, random }: Host,
): InventoryRounds {
  const { reader, inventory, managedRulesets } = service;
  fleet.followInventory(config.inventory !== undefined);
  return new InventoryRounds(inventoryOptions(config), {
    source: {
      readAnswers: (...asked) => reader.readAnswers(...asked),
      listItems: (zone, kind, stop) => inventory.list(zone, kind, everythingSeen, stop),
      readManaged: (zone, id, stop) =>
        managedRulesets.read({ level: "zone", zone }, id, undefined, stop),
    },
    clock,
    random,
    impactLines: (impact) => renderImpacts([impact], { color: false }).split("\n"),
    report: (report) => {
      logInventory(logger, fleet.zone(report.zone)?.inventory, report);
      fleet.recordInventory(report);
    },
    bug: (error, zone) => {
      logInternalError(logger, error, zone);
    },
  });
}

/** Has the impact of each plan judged that is held: what is held, people decide. */
export function heldPlans(rounds: InventoryRounds): Subscriber {
  return {
    zone: ({ report }) => {
      if (report.result === "held") rounds.judge(report.plan);
    },
    // What is declared the rounds hear with the files themselves.
    load: () => undefined,
    gone: () => undefined,
  };
}
