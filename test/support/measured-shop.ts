import type { JudgedFleet } from "../../src/measure/judged-fleet.ts";
import { shop } from "./fleets.ts";
import { declared } from "./reports.ts";

/** What a zone with three rules and two policies counted in an hour. */
export const measuredShop: JudgedFleet = {
  at: new Date("2026-11-20T10:00:00Z"),
  zones: new Map([
    [
      declared(shop).name,
      {
        requests: 5_000,
        counts: new Map([
          ["custom_rule", 4_000],
          ["policy", 0],
        ]),
        states: new Map([
          ["above", 1],
          ["usual", 2],
          ["failed", 2],
        ]),
        unusual: [],
      },
    ],
  ]),
  datasets: {
    requests: new Map([["sampled", 1]]),
    events: new Map([["measured", 1]]),
    violations: new Map([["failed", 1]]),
  },
};
