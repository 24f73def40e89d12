import { coerceObject } from "../../src/syntax/json.ts";
import type { SimulatedClock } from "./clock.ts";
import type { Started } from "./command-line.ts";
import { control, type Example } from "./example.ts";
import { logLines, logged } from "./log-lines.ts";
import { eventually } from "./processes.ts";
import { isEveryZoneRun, jsonFrom } from "./running.ts";

/** Starts a daemon, and waits until all zones are as declared. */
export async function applying({ place }: Example): Promise<Started> {
  const daemon = place.start("run");
  await eventually(
    "all zones are as declared",
    () => logLines(daemon).filter(({ msg }) => msg === "plan applied").length === 2 || undefined,
  );
  return daemon;
}

/** Somebody lowers the paranoia level of a zone, and the daemon corrects it. */
export async function corrected(example: Example, daemon: Started, zone: string): Promise<void> {
  await control(example, "edit", { zone, rule: "zonewarden:owasp", set: { paranoia_level: 1 } });
  daemon.signal("SIGHUP");
  await logged(daemon, "plan applied", { zone, trigger: "signal" });
}

/** The same as {@link applying}. From then on, two of the example's three zones are too many for one step. */
export async function settled(example: Example): Promise<Started> {
  const daemon = await applying(example);
  const text = await example.place.read("zonewarden.yaml");
  await example.place.write("zonewarden.yaml", `${text}limits: { min_fleet: 2 }\n`);
  await logged(daemon, "configuration applied");
  return daemon;
}

/** Starts a daemon, and waits until it has run every zone. */
export async function started({ place }: Example): Promise<Started> {
  const daemon = place.start("run");
  await allRun(daemon);
  return daemon;
}

/** Resolves when every zone has been run since the start. */
export async function allRun(daemon: Started): Promise<void> {
  await eventually("all zones are run", async () => (await isEveryZoneRun(daemon)) || undefined);
}

/** Lets time pass until all hours are measured that are complete. */
export async function untilMeasured(
  daemon: Started,
  clock: SimulatedClock,
  stepMs = 25_000,
): Promise<void> {
  await eventually("the measurements are up to date", async () => {
    await clock.jump(stepMs);
    return logLines(daemon).some(({ msg }) => msg === "measurements up to date") || undefined;
  });
}

/** Resolves when no zone is run. */
export async function noneRuns(daemon: Started): Promise<void> {
  await eventually("no zone is run", async () => {
    const { running } = coerceObject((await jsonFrom(daemon, "api/v1/fleet"))["queue"]);
    return (Array.isArray(running) && running.length === 0) || undefined;
  });
}
