import { seededRandom } from "../../src/emulator/control/faults.ts";
import {
  databaseEvents,
  type Disturbance,
  disturbances,
  fileEvents,
  phaseEdits,
  policyEdits,
  processEvents,
  refusals,
  requestFaults,
  rolloutEvents,
  ruleEdits,
  rulesetEdits,
  settingEvents,
} from "./disturbances.ts";
import type { StoryName } from "./stories.ts";

/** Something that happens to a request, or just before it is sent. Requests are counted from 1, over all processes. */
export interface Step {
  readonly at: number;
  readonly does: Disturbance;
}

/** What happens in one simulation. */
export interface Schedule {
  readonly story: StoryName;
  /** Where its processes keep their store. */
  readonly store: "directory" | "database";
  readonly steps: readonly Step[];
  /** Whether rules are read only if the listing shows another version of them; left out: in each run. */
  readonly versions?: "trust" | undefined;
}

/** The last request at which a random schedule lets anything happen. */
const lastRequest = 60;

const kinds: readonly (readonly Disturbance[])[] = [
  keysOf(requestFaults),
  [...keysOf(policyEdits), ...keysOf(ruleEdits)],
  [...keysOf(fileEvents), ...keysOf(settingEvents), ...keysOf(processEvents)],
];

function keysOf<K extends string>(object: Readonly<Record<K, string>>): readonly K[] {
  return Object.keys(object).filter((key): key is K => key in object);
}

/**
 * The schedule of a seed: one to ten steps. Faults of requests come twice as often as edits and events.
 *
 * @param was as it was before there were databases and more than one phase: a seed that failed then still fails.
 */
export function scheduleOf(seed: number, was?: "earlier"): Schedule {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => {
    const item = list[Math.floor(random() * list.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  const count = 1 + Math.floor(random() * 10);
  // Half of the schedules do everything within the first run, where the writes are.
  const last = random() < 0.5 ? 20 : lastRequest;
  const steps = Array.from({ length: count }, (): Step => {
    const kind = kinds[[0, 0, 1, 2][Math.floor(random() * 4)] ?? 0] ?? [];
    return { at: 1 + Math.floor(random() * last), does: pick(kind) };
  });
  const story = random() < 0.3 ? "shop" : "fleet";
  // Drawn last: what a seed drew before there were databases, and then phases, stays as it was.
  if (was === "earlier") return { story, store: "directory", steps: inOrder(steps) };
  const store = random() < 1 / 3 ? "database" : "directory";
  const some = (most: number, names: readonly Disturbance[]): readonly Step[] =>
    Array.from({ length: Math.floor(random() * most) }, () => ({
      at: 1 + Math.floor(random() * last),
      does: pick(names),
    }));
  const ofStore = some(4, keysOf(databaseEvents));
  const all = store === "database" ? [...steps, ...ofStore] : steps;
  if (random() < 0.6) return { story, store, steps: inOrder(all) };
  const refused = random() < 0.2 ? some(2, keysOf(refusals)) : [];
  const others = some(7, keysOf(phaseEdits));
  const versions = random() < 0.5 ? ({ versions: "trust" } as const) : {};
  const ofRules = [...all, ...others, ...refused];
  if (random() < 0.5) return { story: "rules", store, steps: inOrder(ofRules), ...versions };
  const inRulesets = some(7, keysOf(rulesetEdits));
  return { story: "teams", store, steps: inOrder([...ofRules, ...inRulesets]), ...versions };
}

/** The schedule of a seed, in a fleet whose changes go out in waves: with what a person asks of the rollouts. */
export function wavesOf(seed: number): Schedule {
  const random = seededRandom(seed + 7_000_000);
  const names = keysOf(rolloutEvents);
  const asked = Array.from({ length: Math.floor(random() * 5) }, (): Step => {
    const does = names[Math.floor(random() * names.length)] ?? "rollout_pause";
    return { at: 1 + Math.floor(random() * lastRequest), does };
  });
  const { steps, store } = scheduleOf(seed);
  return { story: "waves", store, steps: inOrder([...steps, ...asked]) };
}

function inOrder(steps: readonly Step[]): readonly Step[] {
  return steps.toSorted((a, b) => a.at - b.at);
}

/** A schedule for a person to read. */
export function scheduleText({ story, store, steps, versions }: Schedule): string {
  const lines = steps.map(({ at, does }) => `  request ${at}: ${disturbances[does]} (${does})`);
  const trusted = versions === undefined ? "" : ", trusting versions";
  return [`story ${story}, with a ${store}${trusted}`, ...lines].join("\n");
}

/** The smallest schedule that still fails: without steps that are not needed, and each as early as possible. */
export async function shrunk(
  schedule: Schedule,
  fails: (smaller: Schedule) => Promise<boolean>,
): Promise<Schedule> {
  let smallest = schedule;
  for (let index = 0; index < smallest.steps.length;) {
    const fewer = { ...smallest, steps: smallest.steps.toSpliced(index, 1) };
    if (await fails(fewer)) smallest = fewer;
    else index += 1;
  }
  for (const simple of [{ story: "shop" }, { store: "directory" }] as const) {
    const simpler = { ...smallest, ...simple };
    if (await fails(simpler)) smallest = simpler;
  }
  for (let index = 0; index < smallest.steps.length; index += 1) {
    for (let at = 1; at < (smallest.steps[index]?.at ?? 0); at += 1) {
      const step = smallest.steps[index];
      if (step === undefined) break;
      const earlier = { ...smallest, steps: smallest.steps.with(index, { ...step, at }) };
      if (await fails(earlier)) smallest = earlier;
    }
  }
  return smallest;
}
