import type { Change } from "../../src/plan/change.ts";
import type { Fleet } from "../../src/state/fleet.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { fleetOf } from "./fleets.ts";
import {
  author,
  type Came,
  change,
  declared,
  failure,
  heldLoad,
  hold,
  load,
  report,
} from "./reports.ts";

/** The hash of a held revision. */
export const heldHash: string = `sha256-${"f8847a57bb7f".padEnd(64, "b")}`;

const heldRevision = `sha256-${"0357424802a9".padEnd(64, "c")}`;

const stricter = change("managed_rule/owasp", "strengthens", {
  fields: [{ field: "paranoia_level", before: 1, after: 2 }],
});
const off = change("setting/enabled", "weakens", {
  fields: [{ field: "value", before: true, after: false }],
  reasons: ["scripts are no longer watched"],
});
const on = change("setting/enabled", "strengthens", {
  fields: [{ field: "value", before: false, after: true }],
  reasons: ["scripts are watched again"],
});

function byAuthor(name: string, each: Change): Change {
  return { ...each, authors: [author({ name, fields: ["value"] })] };
}

/** The names of the zones of {@link largeStatus}. */
export function largeName(n: number): string {
  return `shop-${String(n).padStart(5, "0")}.brand-${n % 7}.example`;
}

/**
 * A fleet of two accounts in which three of five zones wait for a new revision; one weakens, two people made drift, one
 * account cannot be read in part, and some plans are held.
 */
export function largeStatus(count: number): Fleet {
  const fleet = fleetOf(...Array.from({ length: count }, (_, n) => declared(largeName(n))));
  fleet.recordLoad(load({ zones: count }));
  for (let n = 0; n < count; n += 1) {
    fleet.recordZone(inAccount(n, report(largeName(n), 2, came(n))));
  }
  return fleet;
}

function came(n: number): Came {
  const last = n % 40;
  if (n === 17) return { result: "planned", cause: "pending", changes: [off, stricter] };
  if (last === 3) {
    const changes = [byAuthor("alice@example.com", on)];
    return { result: "planned", cause: "drift", changes };
  }
  if (last === 5) {
    return { result: "planned", cause: "drift", changes: [byAuthor("bob@example.com", on)] };
  }
  if (last === 7) return { result: "error", failure: failure("GET page_shield: 403: no access") };
  if (last === 9) {
    const hash = String(n).padStart(64, "a");
    const message = `would update 5 of 9: release this plan once with --accept ${hash}`;
    const holds = [{ ...hold("too_many_updates", message), hash }];
    return { result: "held", cause: "pending", changes: [stricter], holds };
  }
  return n % 5 < 3
    ? { result: "planned", cause: "pending", changes: [stricter] }
    : { result: "in_sync" };
}

/** Two of three zones are in one account. */
function inAccount(n: number, made: ZoneReport): ZoneReport {
  if (!("plan" in made) || n % 3 !== 0) return made;
  const zone = { ...made.plan.zone, accountId: "b".repeat(32), accountName: "Example Brands" };
  return { ...made, plan: { ...made.plan, zone } };
}

/** A fleet whose zones are all as the revision in force declares, while another one is held. */
export function heldStatus(count: number): Fleet {
  const message = `revision ${heldRevision} changes ${count} and drops 0 of ${count} zones (100 %), the limit is 30 %: to accept it, add ${heldHash} to limits.accept, or raise limits.max_fleet_share`;
  const refusal = { ...hold("fleet_change", message), hash: heldHash };
  const names = Array.from({ length: count }, (_, n) => largeName(n));
  const fleet = fleetOf(...names.map((name) => declared(name, { hold: refusal })));
  const held = { revision: heldRevision, hash: heldHash, hold: refusal, zones: count };
  fleet.recordLoad(heldLoad({ held, zones: count }));
  for (const name of names) fleet.recordZone(report(name, 2, { result: "in_sync" }));
  return fleet;
}
