import type { Fleet } from "../../src/report/fleet.ts";
import { b, fleetOf, held, shop } from "./fleets.ts";
import { at, change, declared, done, failed, load, problem, refusal, report } from "./reports.ts";

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

/** A fleet in which every sort of thing has happened. */
export function scene(): Fleet {
  const paused = { reason: "CHG-4411", until: undefined };
  const fleet = fleetOf(
    declared(shop),
    declared("blog.example.com"),
    declared("old.example.com", { suspension: paused }),
    declared("pay.example.com"),
    declared("www.example.com"),
  );
  fleet.recordLoad(load({ zones: 5, problems: [problem()], at: at(1) }));
  const byHand = { kind: "policy", id: "c9ef84", title: "Made by hand" } as const;
  fleet.recordZone(report("blog.example.com", 2, { result: "in-sync", unmanaged: [byHand] }));
  fleet.recordZone(
    report(shop, 3, {
      result: "applied",
      cause: "drift",
      changes: [csp, b],
      outcomes: [done("policy/checkout"), failed("policy/b")],
      left: [b],
    }),
  );
  fleet.recordZone(
    report(shop, 20, {
      result: "refused",
      cause: "drift",
      changes: [csp],
      refusals: [refusal("WEAKENING", "1 change weakens; accept it with --accept 91ab")],
      unmanaged: [byHand],
    }),
  );
  fleet.recordZone(report("old.example.com", 21, held("SUSPENDED")));
  fleet.recordZone(report("pay.example.com", 22, { result: "unreadable" }));
  return fleet;
}
