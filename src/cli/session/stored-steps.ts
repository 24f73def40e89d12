import type { StoredZones } from "../../memory/open-store.ts";
import {
  declaredNames,
  type DesiredFleet,
  type FleetZone,
} from "../../reconcile/fleet/desired-fleet.ts";
import { stepWaveOf, wavesOf } from "../../reconcile/fleet/waves.ts";
import { promotedIn } from "../../reconcile/steps/step-overlay.ts";
import { noSteps } from "../../reconcile/steps/step-state.ts";
import { SteppedZone } from "../../reconcile/steps/stepped-zone.ts";
import { zoneBehind } from "../../reconcile/steps/steps.ts";
import { stepsLeftTexts } from "../../render/step-event-text.ts";
import type { RolloutSettings } from "../../zone/wave.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { PlannedFleetZone } from "./plan-all.ts";
import type { Session } from "./session.ts";
import { withStoredMeasurements } from "./stored.ts";

/**
 * What is not at its last step in a zone, and what it waits for, as the daemon decides it from what is stored and planned. Of an
 * object that is decided by the latest five minutes or by scripts in use, which are not stored, only the daemon knows that.
 *
 * @returns `undefined` if the store does not tell.
 */
export async function storedSteps(
  { declared, planned: { report } }: PlannedFleetZone,
  { steps: stepsOf, fleet }: { readonly steps: StoredZones["steps"]; readonly fleet: DesiredFleet },
  { config, host }: Session,
): Promise<readonly string[] | undefined> {
  const nowMs = host.clock.monotonicMs();
  const stepped = (each: FleetZone): SteppedZone => {
    const zone = new SteppedZone(each, stepsOf(each.desired.zone.name), nowMs);
    zone.declare(each);
    return zone;
  };
  const zone = stepped(declared);
  if (zone.objects.size === 0) return [];
  const { name } = declared.desired.zone;
  if (stepsOf(name) === noSteps) return undefined;
  zone.record(declared, report, undefined);
  const now = host.clock.now();
  const waveOf = stepWaves(fleet, config.rollout);
  const others = [...fleet.zones].flatMap(([other, each]) =>
    promotedIn(each.desired.content).size > 0 && waveOf(other) < waveOf(name)
      ? [[other, stepped(each)] as const]
      : [],
  );
  const missing = [...fleet.missing.keys()].filter((other) => waveOf(other) < waveOf(name));
  const earlier = { zones: new Map(others), missing };
  return withStoredMeasurements(config, undefined, host, async (reader) => {
    if (typeof reader === "string") return undefined;
    await zone.readHours(reader, now);
    const isMeasured = config.measurements !== undefined;
    const decided = zone.decide(isMeasured, zone.waitOf(config.mode, now), nowMs, (key, step) =>
      zoneBehind(earlier, stepsOf, waveOf, key, step),
    );
    const byMinutes = isMeasured ? zone.decidedByMinutes : new Set();
    const undecided = new Set(
      [...decided].flatMap(([key, decision]) => {
        if (decision.do === "ask_scripts") return [key];
        const isOfCounts = decision.do === "wait" && "isMeasured" in decision.wait;
        return isOfCounts && byMinutes.has(key) ? [key] : [];
      }),
    );
    for (const [key, decision] of decided) {
      const wait = decision.do === "wait" ? decision.wait : undefined;
      if (wait?.reason === "other_object" && undecided.has(wait.key)) undecided.add(key);
    }
    return stepsLeftTexts(zone.view(undefined), undecided);
  });
}

/** The wave in which steps of a zone begin. */
function stepWaves(
  fleet: DesiredFleet,
  rollout: RolloutSettings | undefined,
): (zone: ZoneName) => number {
  const waves = rollout === undefined ? new Map() : wavesOf(rollout.waves, declaredNames(fleet));
  return (zone) => stepWaveOf(zone, waves, rollout?.appliesTo);
}
