import { rethrow } from "../../src/cli/session/session.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { PlanPorts, PlanRequest } from "../../src/reconcile/run/plan-zone.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { PartsToRead } from "../../src/zone/ports.ts";
import { SimulatedClock } from "./clock.ts";
import { script } from "./inventory.ts";
import {
  absent,
  declared,
  deployment,
  desiredZone,
  liveZone,
  owner,
  policy,
  readAllAt,
  settingsOff,
  untuned,
} from "./model.ts";

/** A zone without anything. */
export const empty: LiveZone = liveZone({
  settings: settingsOff,
  policies: [],
  entrypoints: { managed_rules: absent },
});

/** Ports that give a live state, and note which parts were read. */
export function portsOf(
  live: LiveZone,
  {
    parts = [],
    scripts = () => [],
  }: { readonly parts?: PartsToRead[]; readonly scripts?: () => readonly Script[] } = {},
): PlanPorts {
  return {
    reader: {
      readAnswers: (_zone, wanted) => {
        parts.push(wanted);
        return Promise.resolve({ readAt: readAllAt(0), digest: "", live: () => live });
      },
      readScripts: async () => {
        await Promise.resolve();
        return scripts();
      },
    },
    clock: new SimulatedClock(),
    runId: () => "run",
    bug: rethrow,
  };
}

/** A read that fails. */
export function failsWith(error: Error): () => never {
  return () => rethrow(error);
}

/** A request to plan a declaration, with no guard but the holds of the plan. */
export function requestOf(content: Partial<ZoneContent>): PlanRequest {
  return {
    desired: desiredZone(content),
    owner,
    trigger: "manual",
    priority: "changed",
    revision: "r1",
    impact: { maliciousBelow: 50, freshMs: 3_600_000 },
    unchangedPlan: () => undefined,
    explain: (planned) => planned,
    holdsAt: (planned) => planned.holds,
  };
}

/** The plan of a report that has one. */
export function planIn(report: ZoneReport): Plan {
  if (report.result === "error") throw new Error(report.failure.message);
  return report.plan;
}

/** The keys of the changes, sorted. */
export function keysOf({ changes }: Plan): readonly string[] {
  return changes.map(({ key }) => key).toSorted();
}

// What zones declare.
export const enabled = { settings: [{ name: "enabled", value: true }] } as const;
export const logged = { policies: declared([policy("site")]) };
export const blocking = { policies: declared([policy("site", { action: "allow" })]) };
const tuned = deployment("owasp", { tuning: { ...untuned, scoreThreshold: 40 } });
export const plainRules = { rules: { managed_rules: declared([deployment("owasp")]) } };
export const tunedRules = { rules: { managed_rules: declared([tuned]) } };

/** A script that browsers loaded a minute ago. */
export const lib: Script = script("https://cdn.example.net/lib.js", {
  host: "shop.example.com",
  lastSeenAt: new Date("2026-11-20T11:59:00Z"),
});
