import { readSeries } from "../../measure/measured-series.ts";
import type { MeasurementReader } from "../../measure/measurement-store.ts";
import type { StoredZones } from "../../memory/open-store.ts";
import type { Plan } from "../../plan/plan.ts";
import type { FleetZone } from "../../reconcile/fleet/desired-fleet.ts";
import type { ReviewedZone } from "../../reconcile/run/apply.ts";
import { busyObject } from "../../reconcile/steps/step-decision.ts";
import { evidenceOf, partsOf, partsSince } from "../../reconcile/steps/step-evidence.ts";
import { promotedIn, stateOf } from "../../reconcile/steps/step-overlay.ts";
import { declaredAs, type StepState, stepIndex } from "../../reconcile/steps/step-state.ts";
import { durationText } from "../../render/format.ts";
import { ladderText } from "../../render/step-event-text.ts";
import { stepWaitText, stopText } from "../../render/step-text.ts";
import { hourMs } from "../../syntax/time-units.ts";
import type { Promotion } from "../../zone/promotion.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { PartFlags } from "./fleet-part.ts";
import type { Session } from "./session.ts";
import { withStoredMeasurements } from "./stored.ts";
import { withPlans } from "./with-plans.ts";

/**
 * Zones whose plans say which steps of their policies and rules follow, and, where the store says it, how much of the time
 * before the next one was measured, or that it is watched: `policy/checkout: log → allow after 7 days (31 of 168 hours
 * measured)`.
 */
export async function withSteps<T extends ReviewedZone & { readonly declared: FleetZone }>(
  zones: readonly T[],
  flags: PartFlags,
  { steps }: Pick<StoredZones, "steps">,
  { config, host }: Session,
): Promise<readonly T[]> {
  if (zones.every(({ declared }) => promotedIn(declared.desired.content).size === 0)) return zones;
  const now = host.clock.now();
  return withStoredMeasurements(config, flags.changedSince, host, (found) => {
    const isCounted = config.measurements !== undefined && typeof found !== "string";
    const reader = isCounted ? found : undefined;
    return withPlans(zones, async (plan, { declared }) => {
      const states = steps(plan.zone.name).objects;
      const { content } = declared.desired;
      const objects = [...promotedIn(content)];
      const stored = new Map(
        objects.flatMap(([key, object]) => {
          const state = declaredAs(object, stateOf(key, content, states));
          return state === undefined ? [] : [[key, state] as const];
        }),
      );
      const busy = busyObject([...stored]);
      const added: string[] = [];
      for (const [key, { promotion }] of objects) {
        const at = plan.steps.get(key)?.planned;
        if (at === undefined) continue;
        const known = stored.get(key);
        const state = stepIndex(known, promotion) === at ? known : undefined;
        if (at === promotion.steps.length - 1 && state?.isWatched !== true) continue;
        const text = await progressText({ key, promotion, state, busy }, plan, reader, now);
        added.push(`${key}: ${ladderText(promotion, at)}${text}`);
      }
      return { ...plan, notes: [...new Set([...plan.notes, ...added])] };
    });
  });
}

interface Stepped {
  readonly key: ResourceKey;
  readonly promotion: Promotion;
  /** Where it stands by the store; `undefined`: that says nothing of the step that is planned. */
  readonly state: StepState | undefined;
  /** The object of the zone that keeps others waiting; `undefined`: none does. */
  readonly busy: ResourceKey | undefined;
}

/** How far an object is on the way to its next step; "" if that is not known. */
async function progressText(
  { key, promotion, state, busy }: Stepped,
  { zone, policyForms }: Pick<Plan, "policyForms"> & { readonly zone: { readonly name: ZoneName } },
  reader: Pick<MeasurementReader, "read"> | undefined,
  now: Date,
): Promise<string> {
  if (state === undefined) return "";
  if (state.stop !== undefined) return ` (${stopText(state.stop)})`;
  const { afterMs, when, watchMs } = promotion;
  if (state.isWatched && busy !== undefined && busy !== key) {
    return ` (${stepWaitText({ reason: "other_object", key: busy })})`;
  }
  if (state.isWatched) return ` (watched for ${durationText(watchMs)})`;
  const isByHours = when !== "time_only" && afterMs >= hourMs;
  if (reader === undefined || state.since === undefined || !isByHours) return "";
  const series = await readSeries(reader, zone.name, new Date(state.since), now);
  const parts = { ...series, partMs: hourMs, from: Number(series.since) };
  const counted = partsSince(parts, key, state.since, policyForms.get(key));
  const { measured } = evidenceOf(hourMs, counted, promotion);
  const wanted = partsOf(afterMs, hourMs);
  return ` (${Math.min(measured, wanted)} of ${wanted} hours measured)`;
}
