import type { HistoryView } from "../../src/history/history.ts";
import { RecentHistory } from "../../src/history/recent-history.ts";
import type { JudgedTokenUse } from "../../src/state/audit-status.ts";
import type { Fleet } from "../../src/state/fleet.ts";
import type { InventoryReport } from "../../src/state/inventory.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { StepEvent } from "../../src/state/step-wait.ts";
import { b, fleetOf, held, shop, stepOf } from "./fleets.ts";
import { inventoryRead, inventoryUnreadable } from "./inventories.ts";
import { cookie, script } from "./inventory.ts";
import {
  at,
  change,
  declared,
  diagnostic,
  done,
  failed,
  failure,
  hold,
  load,
  report,
} from "./reports.ts";

const csp = change("policy/checkout", "strengthens", {
  title: "Scripts of the checkout",
  mayBreak: true,
  reasons: ["log → allow: violations are blocked again"],
  fields: [
    { field: "action", before: "log", after: "allow" },
    {
      field: "value",
      before: "script-src 'self' evil.example",
      after: "script-src 'self' cdn.example",
    },
  ],
});

/** No runs at all. */
export const noHistory: HistoryView = { of: () => [] };

/** A fleet in which every sort of thing has happened. */
export function scene(): Fleet {
  const fleet = fleetBefore();
  for (const each of sceneReports()) fleet.recordZone(each);
  fleet.followInventory(true);
  for (const each of sceneInventories()) fleet.recordInventory(each);
  return fleet;
}

/** What is kept of it. */
export function sceneHistory(): HistoryView {
  return historyOf(fleetBefore(), sceneReports());
}

/** The history of runs, one after the other; each found these uses of our token elsewhere, and what became of steps. */
export function historyOf(
  fleet: Fleet,
  reports: readonly ZoneReport[],
  tokenUses: readonly JudgedTokenUse[] = [],
  stepEvents: readonly StepEvent[] = [],
): RecentHistory {
  const history = new RecentHistory(1_000_000);
  for (const each of reports) {
    history.record({ ...stepOf(fleet, each), tokenUses, stepEvents });
  }
  return history;
}

function fleetBefore(): Fleet {
  const paused = { reason: "CHG-4411", until: undefined };
  const fleet = fleetOf(
    declared(shop),
    declared("blog.example.com"),
    declared("old.example.com", { suspension: paused }),
    declared("pay.example.com"),
    declared("www.example.com"),
  );
  fleet.recordLoad(load({ result: "partial", zones: 5, diagnostics: [diagnostic()], at: at(1) }));
  return fleet;
}

function sceneReports(): readonly ZoneReport[] {
  const byHand = { kind: "policy", id: "c9ef84", title: "Made by hand" } as const;
  return [
    report("blog.example.com", 2, { result: "in_sync", unmanaged: [byHand] }),
    report(shop, 3, {
      result: "applied",
      cause: "drift",
      changes: [csp, b],
      outcomes: [done("policy/checkout"), failed("policy/b")],
      left: [b],
    }),
    report(shop, 20, {
      result: "held",
      cause: "drift",
      changes: [csp],
      holds: [hold("weakening", "1 change weakens; accept it with --accept 91ab")],
      unmanaged: [byHand],
    }),
    report("old.example.com", 21, held("suspend")),
    report("pay.example.com", 22, { result: "error" }),
  ];
}

/** What browsers reported: the shop's miner, a zone without policies, two that cannot be read; one is left to read. */
function sceneInventories(): readonly InventoryReport[] {
  const policy = "script-src 'self' https://cdn.example.net";
  return [
    inventoryRead(shop, 25, { policy, impact: sceneImpact }),
    inventoryRead("blog.example.com", 26, {
      items: [script("https://blog.example.com/a.js"), cookie("lang")],
    }),
    inventoryRead("old.example.com", 2, { items: [] }),
    inventoryUnreadable("old.example.com", 27),
    inventoryUnreadable("pay.example.com", 28, failure()),
  ];
}

/** What the shop's plan would do to it. */
export const sceneImpact = [
  `Impact on ${shop}`,
  "  policy/checkout  Scripts of the checkout  blocks what does not fit; 5 resources seen on its pages",
  "    ✗ blocks anew: 1",
  "        script https://stats.example.org/m.js  (malicious: integrity score 4; on https://shop.example.com/checkout/pay)",
];
