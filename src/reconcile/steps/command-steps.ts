import type { RolloutAnswer, RolloutCommand } from "../../state/asked-of-rollout.ts";
import type { StepEvent } from "../../state/step-wait.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { StepOrder, Steps } from "./steps.ts";

/** What a person asks of the steps of some zones. */
export type StepsCommand = RolloutCommand & {
  /** Who asked. */
  readonly by: string;
};

/** Why nothing is done in any zone of a command; `undefined`: it can be done in all of them. */
export function whyNot(
  steps: Steps | undefined,
  { name, zones, key }: RolloutCommand,
): RolloutAnswer | undefined {
  const without = zones.filter((zone) => steps?.view(zone) === undefined);
  if (steps === undefined || without.length > 0) return { result: "no_steps", zones: without };
  if (name !== "promote") return undefined;
  const last = zones.filter((zone) => steps.nextOf(zone, key) === undefined);
  if (last.length > 0) return { result: "not_waiting", zones: last };
  for (const zone of zones) {
    const next = steps.nextOf(zone, key);
    if (next?.isBusy === true) return { result: "busy", zones: [zone], key: next.key };
  }
  return undefined;
}

/** Does what {@link whyNot} does not refuse. `as_before`: it changed no zone. */
export async function commandSteps(
  steps: Steps | undefined,
  command: StepsCommand,
): Promise<RolloutAnswer> {
  if (steps === undefined) return { result: "no_steps", zones: command.zones };
  const done: ZoneName[] = [];
  const events: StepEvent[] = [];
  for (const zone of command.zones) {
    const order = await orderIn(steps, zone, command);
    if (order.result === "not_stored") return { result: "not_begun", zones: [zone] };
    if (order.result === "busy") return { result: "busy", zones: [zone], key: order.key };
    if (order.result === "nothing") continue;
    done.push(zone);
    events.push(...order.events);
  }
  if (done.length === 0) return { result: "as_before" };
  return { result: "done", zones: done, left: [], steps: events };
}

async function orderIn(
  steps: Steps,
  zone: ZoneName,
  { name, key, by }: StepsCommand,
): Promise<StepOrder> {
  const isPaused = steps.view(zone)?.pausedBy !== undefined;
  switch (name) {
    case "pause":
      return isPaused ? { result: "nothing" } : steps.pause(zone, by);
    case "resume":
      return isPaused ? steps.pause(zone, undefined) : { result: "nothing" };
    case "promote":
      return steps.promote(zone, by, key);
    case "abort":
      return steps.abort(zone, by);
  }
}
