import { parseArgs } from "node:util";

import { type Failure, run, type Tally, usualWorkers } from "./campaign.ts";
import { invariants } from "./invariants/invariants.ts";
import { type Schedule, scheduleOf, scheduleText, shrunk, wavesOf } from "./schedule.ts";
import { simulate } from "./simulation.ts";

/*
 * `npm run simulate`: all single disturbances and some pairs of request faults over one run, then schedules of seeds.
 *
 *   --seed N           replays one seed, and shrinks it where an invariant does not hold
 *   --schedules N      schedules of seeds; 6,000 by default
 *   --first N          the first seed; 1 by default
 *   --seconds N        begins no schedule after so many seconds
 *   --workers N        threads; one for each processor by default
 *   --store S          only schedules with this store: directory or database
 *   --only-seeds       without the singles and pairs
 *   --in-waves         the changes of seeds go out in waves, of which a person asks something
 *   --all-pairs        each pair of request faults: 32,000 schedules
 */

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    schedules: { type: "string", default: "6000" },
    first: { type: "string", default: "1" },
    seconds: { type: "string", default: "Infinity" },
    workers: { type: "string", default: String(usualWorkers) },
    store: { type: "string" },
    "only-seeds": { type: "boolean", default: false },
    "in-waves": { type: "boolean", default: false },
    "all-pairs": { type: "boolean", default: false },
  },
});

const listedSchedules = values["only-seeds"] ? "none" : values["all-pairs"] ? "all" : "some";

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function replay(schedule: Schedule): Promise<boolean> {
  print(scheduleText(schedule));
  const { violation, requests, sweeps } = await simulate(schedule);
  if (violation === undefined) {
    print(`\nEverything holds: ${requests.length} requests, as declared after ${sweeps} sweeps.`);
    return true;
  }
  await explain(schedule, violation);
  return false;
}

/** Shrinks a schedule, and prints what happens in it. */
async function explain(
  schedule: Schedule,
  { invariant }: Pick<Failure, "invariant">,
): Promise<void> {
  const smallest = await shrunk(schedule, async (smaller) => {
    const { violation } = await simulate(smaller);
    return violation?.invariant === invariant;
  });
  const { violation, requests } = await simulate(smallest);
  const sentence = invariants.find(({ name }) => name === invariant)?.sentence ?? "";
  print(`\nDoes not hold: ${sentence}\n${violation?.message}\n\nsmallest schedule:`);
  print(`${scheduleText(smallest)}\n`);
  for (const { number, at, sender, method, path, zone, answer, effects } of requests) {
    const who = sender === "plan" ? sender : `process ${sender.pid}`;
    const shown = path.replaceAll(/[0-9a-f]{32}/g, "…");
    const effect = effects.map((each) => ` took effect at ${Math.round(each.at)} ms`).join(",");
    print(
      `${number} at ${Math.round(at)} ms, ${who}: ${method} ${shown} ${zone ?? ""} ${answer}${effect}`,
    );
  }
}

function summary({ schedules, requests, cpuMs, happened, mostSweeps, failures }: Tally): string {
  const faults = Object.entries(happened)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`);
  return [
    `${schedules} schedules, ${requests} requests, ${(cpuMs / schedules).toFixed(1)} ms of processor time each`,
    `as declared after at most ${mostSweeps} sweeps; ${failures.length} failed`,
    `disturbances: ${faults.join(", ")}`,
  ].join("\n");
}

async function campaign(): Promise<boolean> {
  const start = performance.now();
  let told = 0;
  const total = await run(
    {
      listed: listedSchedules,
      firstSeed: Number(values.first),
      seeds: Number(values.schedules),
      inWaves: values["in-waves"],
      seconds: Number(values.seconds),
      workers: Number(values.workers),
      store: values.store,
    },
    ({ schedules, failures }) => {
      if (schedules - told < 5_000) return;
      told = schedules;
      print(`${schedules} schedules, ${failures.length} failed`);
    },
  );
  print(`${summary(total)}\n${Math.round((performance.now() - start) / 1_000)} s`);
  const byInvariant = Map.groupBy(total.failures, ({ invariant }) => invariant);
  for (const [invariant, failures] of byInvariant) {
    const seeds = failures.flatMap(({ seed }) => seed ?? []);
    print(`\n${invariant}: ${failures.length} schedules, of seeds ${seeds.slice(0, 20).join(" ")}`);
    const simplest = failures.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0];
    if (simplest !== undefined) await explain(simplest.schedule, simplest);
  }
  return total.failures.length === 0;
}

function lengthOf({ schedule }: Failure): number {
  return schedule.steps.length;
}

const holds = await (values.seed === undefined
  ? campaign()
  : replay((values["in-waves"] ? wavesOf : scheduleOf)(Number(values.seed))));
process.exitCode = holds ? 0 : 1;
