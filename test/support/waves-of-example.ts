import { systemClock } from "../../src/host/clock.ts";
import { coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import type { Started } from "./command-line.ts";
import { type Example, exampleWithEmulator } from "./example.ts";
import { logLines } from "./log-lines.ts";
import { eventually } from "./processes.ts";
import { jsonFrom, stop } from "./running.ts";
import { applying } from "./settled-example.ts";

const rollout = `rollout: { waves: [{ zones: [shop.example.com] }, { share: 100% }], soak: 24h }`;

/** A fleet that is as declared; from its next process on, changes go out in waves. */
export interface InWaves extends AsyncDisposable {
  readonly example: Example;
  /** Lets the clock go on while no process runs. */
  readonly pass: (ms: number) => void;
}

export async function inWaves(): Promise<InWaves> {
  let passed = 0;
  const clock = { ...systemClock, now: () => new Date(Date.now() + passed) };
  const config = 'schedule: { cron: "0 * * * *" }\nstore: { path: state }';
  const example = await exampleWithEmulator({ config, ports: { clock } });
  await stop(await applying(example));
  const text = await example.place.read("zonewarden.yaml");
  await example.place.write("zonewarden.yaml", `${text}${rollout}\n`);
  return {
    example,
    pass: (ms) => (passed += ms),
    [Symbol.asyncDispose]: () => example[Symbol.asyncDispose](),
  };
}

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
