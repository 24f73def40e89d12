import type { StoredZone } from "../../src/history/stored-fleet.ts";
import { at, hold, named } from "./reports.ts";

/** A fleet as the store says, read a minute before the pages of a scene. */
export function storedScene(): { readonly readAt: Date; readonly zones: readonly StoredZone[] } {
  const entry = {
    at: at(2),
    run: "run-1",
    trigger: "schedule",
    revision: "sha256-1",
    result: "planned",
    causes: ["drift"],
    driftedSince: at(-58),
    failure: undefined,
    holds: [],
    changes: 1,
  } as const;
  const settled = { ...entry, driftedSince: undefined, causes: [], changes: 0 };
  return {
    readAt: at(29),
    zones: [
      { name: named("blog.example.com"), status: "unknown", labels: {}, entry: undefined },
      {
        name: named("docs.example.com"),
        status: "in_sync",
        labels: { team: "content" },
        entry: { ...settled, at: at(-90), result: "applied", causes: ["pending"], changes: 3 },
      },
      {
        name: named("shop.example.com"),
        status: "drifted",
        labels: { team: "payments", tier: "gold" },
        entry,
      },
      {
        name: named("www.example.com"),
        status: "error",
        labels: { team: "payments" },
        entry: {
          ...settled,
          result: "error",
          failure: {
            code: "request",
            message: "<img src=x onerror=alert(1)>\u202E is what the service answered",
            ray: "",
          },
          holds: [hold("freeze")],
        },
      },
    ],
  };
}
