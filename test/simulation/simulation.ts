import type { Disturbance } from "./disturbances.ts";
import type { Violation } from "./invariants/invariant.ts";
import { differencesOf } from "./invariants/oracle.ts";
import type { SentRequest } from "./ledger.ts";
import type { Schedule } from "./schedule.ts";
import { zonesOf } from "./stories.ts";
import { SimulatedWorld } from "./world/simulated-world.ts";

const minuteMs = 60_000;
const sweepMs = 5 * minuteMs;
/** Sweeps in which disturbances happen. */
const disturbedSweeps = 4;
/** Once nothing disturbs any more, all zones are as declared after so many sweeps: the longest back-off is of three. */
const sweepsToConverge = 4;

/** What came of a schedule. */
export interface SimulationResult {
  /** What did not hold first. */
  readonly violation: Violation | undefined;
  readonly requests: readonly SentRequest[];
  /** Disturbances that happened, in order. */
  readonly happened: readonly Disturbance[];
  /** Sweeps from the last disturbance to the declared state. */
  readonly sweeps: number;
}

/** Lets a schedule happen, and judges it by every invariant. Same schedule, same result. */
export async function simulate(schedule: Schedule): Promise<SimulationResult> {
  const world = new SimulatedWorld(schedule);
  const onRejection = (reason: unknown): void =>
    world.judge.violate("no-unhandled-rejection", String(reason));
  process.on("unhandledRejection", onRejection);
  const sweeps = await play(world, schedule).finally(() => {
    process.off("unhandledRejection", onRejection);
  });
  const { judge, ledger } = world;
  const happened = ledger.disturbed.map(({ does }) => does);
  return { violation: judge.violation, happened, requests: ledger.requests, sweeps };
}

async function play(world: SimulatedWorld, schedule: Schedule): Promise<number> {
  const last = Math.max(0, ...schedule.steps.map(({ at }) => at));
  for (let count = 0; count < disturbedSweeps; count += 1) {
    const began = world.time.elapsed;
    await sweep(world);
    world.judge.check((invariant) => invariant.atSweepEnd?.(began, world.truth));
    if (world.judge.isBroken) return 0;
    if (world.ledger.requests.length >= last) break;
  }
  await world.heal();
  let sweeps = 0;
  for (; differences(world, schedule).length > 0 && !world.judge.isBroken; sweeps += 1) {
    if (sweeps === sweepsToConverge) {
      world.judge.violate("converges", differences(world, schedule).join("; "));
      return sweeps;
    }
    await sweep(world);
  }
  // As declared: the next sweep sees it, and the one after that finds nothing to do.
  await sweep(world);
  await rest(world);
  return sweeps;
}

async function sweep(world: SimulatedWorld): Promise<void> {
  if (world.judge.isBroken) return;
  await world.time.advance(sweepMs, () => world.judge.isBroken);
  world.requestSweep();
}

async function rest(world: SimulatedWorld): Promise<void> {
  const { ledger } = world;
  await world.time.advance(2 * minuteMs, () => world.judge.isBroken);
  const before = ledger.requests.length;
  await sweep(world);
  await world.time.advance(2 * minuteMs, () => world.judge.isBroken);
  const wrote = ledger.requests.slice(before).find(({ method }) => method !== "GET");
  if (wrote !== undefined) {
    world.judge.violate("then-writes-nothing", `${wrote.method} ${wrote.path}`);
  }
  world.judge.check((invariant) => invariant.atRest?.(world.truth));
  if (!world.judge.isBroken) await world.stop(world.main);
}

function differences(world: SimulatedWorld, { story }: Schedule): readonly string[] {
  return Object.entries(zonesOf("first", story)).flatMap(([name, content]) =>
    differencesOf(world.service.zoneNamed(name), content).map((what) => `${name}: ${what}`),
  );
}
