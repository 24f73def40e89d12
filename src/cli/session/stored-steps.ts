import { noSteps, type ZoneSteps } from "../../reconcile/steps/step-state.ts";
import { SteppedZone } from "../../reconcile/steps/stepped-zone.ts";
import { stepsLeftTexts } from "../../render/step-event-text.ts";
import type { PlannedFleetZone } from "./plan-all.ts";
import type { Session } from "./session.ts";
import { withStoredMeasurements } from "./stored.ts";

/**
 * What is not at its last step in a zone, and what it waits for, as the daemon decides it from what is stored and planned. Only
 * the daemon knows of steps that are counted in minutes, of scripts in use and of earlier waves: that is not said.
 *
 * @param steps as they are stored; {@link noSteps}: the store does not tell.
 * @returns `undefined` if that is not known.
 */
export async function storedSteps(
  { declared, planned: { report } }: PlannedFleetZone,
  steps: ZoneSteps,
  { config, host }: Session,
): Promise<readonly string[] | undefined> {
  const { clock } = host;
  const zone = new SteppedZone(declared, steps, clock.monotonicMs());
  zone.declare(declared);
  if (zone.objects.size === 0) return [];
  if (steps === noSteps) return undefined;
  zone.record(declared, report, undefined);
  const now = clock.now();
  return withStoredMeasurements(config, undefined, host, async (reader) => {
    if (typeof reader === "string") return undefined;
    await zone.readHours(reader, now);
    const isMeasured = config.measurements !== undefined;
    zone.decide(isMeasured, zone.waitOf(config.mode, now), clock.monotonicMs(), () => undefined);
    return stepsLeftTexts(zone.view(undefined));
  });
}
