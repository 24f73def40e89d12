import { coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import type { Started } from "./command-line.ts";
import type { Example } from "./example.ts";
import { logLines } from "./log-lines.ts";
import { eventually } from "./processes.ts";
import { jsonFrom } from "./running.ts";

/** Weakens all zones, which share the example's profile. */
export async function weaken({ place }: Example): Promise<void> {
  await place.edit("zones/baseline.yaml", "paranoia_level: 2", "paranoia_level: 1");
}

/** The zones that a daemon wrote, in order. */
export function applied(daemon: Started): readonly unknown[] {
  return logLines(daemon)
    .filter(({ msg }) => msg === "plan applied")
    .map(({ zone }) => zone);
}

/** What the fleet answers where a zone may be written. */
export async function fleetLinkOf(daemon: Started, zone: string): Promise<JsonObject | undefined> {
  const { links } = await jsonFrom(daemon, `api/v1/zones/${zone}/write`);
  return coerceObjects(links).find(({ link }) => link === "fleet");
}

/** Waits until a process knows that a zone waits for its wave. */
export async function untilWaiting(daemon: Started, zone: string): Promise<void> {
  await eventually(`${zone} waits`, async () => {
    const found = await fleetLinkOf(daemon, zone);
    return coerceText(found?.["reason"]).includes("wave 1 is applied") || undefined;
  });
}
