import * as fc from "fast-check";
import { describe, it } from "vitest";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import { SimulatedClock } from "../support/clock.ts";
import { cases } from "../support/properties.ts";
import {
  type PlantedBug,
  SimulatedReplica,
  SimulatedShards,
} from "../support/simulated-replicas.ts";

const shards = ["one", "two", "three", "four", "five"];

/** Something that happens to a replica or to a Lease, so many milliseconds after what happened before. */
const happening = fc.record({
  afterMs: fc.integer({ min: 0, max: 9_000 }),
  nth: fc.nat({ max: 5 }),
  what: fc.constantFrom(
    "pause",
    "cut",
    "answers-lost",
    "remove",
    "remove-record",
    "leave",
    "kill",
    "join",
    "other",
  ),
  forMs: fc.integer({ min: 100, max: 40_000 }),
});

type Happening = ReturnType<typeof happening.generate>["value"];

const atMost = 5;

/** Replicas that come, go and fail. */
class Simulation {
  readonly clock = new SimulatedClock();
  readonly world: SimulatedShards;
  readonly all: SimulatedReplica[] = [];
  #started = 0;

  constructor(seed: number, bug?: PlantedBug) {
    this.world = new SimulatedShards(this.clock, seededRandom(seed), shards, bug);
  }

  /** Three replicas whose first holders have stored their states. */
  static async installed(seed: number, bug?: PlantedBug): Promise<Simulation> {
    const simulation = new Simulation(seed, bug);
    for (let nth = 0; nth < 3; nth += 1) simulation.join();
    await simulation.clock.advance(8_000);
    return simulation;
  }

  get living(): readonly SimulatedReplica[] {
    return this.all.filter(({ isGone }) => !isGone);
  }

  join(setUp?: string): void {
    if (this.living.length >= atMost) return;
    this.#started += 1;
    const replica = new SimulatedReplica(`r${this.#started}`, this.world, setUp);
    this.all.push(replica);
    void replica.live();
  }

  async happen({ afterMs, nth, what, forMs }: Happening): Promise<void> {
    await this.clock.advance(afterMs);
    const { living } = this;
    const replica = living[nth % living.length];
    if (what === "join") this.join();
    else if (what === "other") this.join("two");
    else if (what === "remove-record") this.world.record.remove();
    else if (what === "remove") [...this.world.leases.values()][nth % shards.length]?.remove();
    else if (replica !== undefined) this.#befall(replica, what, forMs);
  }

  #befall(replica: SimulatedReplica, what: string, forMs: number): void {
    if (what === "pause") {
      replica.isPaused = true;
      this.clock.alarm(forMs, () => {
        if (!replica.isGone) replica.resume();
      });
    } else if (what === "cut" || what === "answers-lost") {
      replica.network = what;
      this.clock.alarm(forMs, () => {
        replica.network = "ok";
      });
    } else if (this.living.length > 1) {
      if (what === "leave") replica.leave();
      else replica.kill();
    }
  }

  /** Ends one of several replicas; why the shards are then not spread over the others. */
  async slowToLeave(): Promise<string> {
    if (this.living.length < 2) return "";
    this.living[0]?.leave();
    await this.clock.advance(10_000);
    return this.unsettled;
  }

  /** Why the shards are not spread over the replicas that live; "": they are. */
  get unsettled(): string {
    const { spread } = this.world;
    const names = this.living.map(({ name }) => name);
    const counts = names.map((name) => spread.get(name) ?? 0);
    const held = counts.reduce((a, b) => a + b, 0);
    if (held === shards.length && Math.max(...counts) - Math.min(...counts) <= 1) return "";
    return `${JSON.stringify([...spread])} of ${names.join(" ")}`;
  }
}

const schedule = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  happenings: fc.array(happening, { maxLength: 12 }),
});

/**
 * Somebody deletes the Lease of the replicas while replicas with other credentials start: in about one of 1,000 such
 * schedules, two replicas write one shard for some seconds (docs/operations.md).
 */
function withoutKnownLimit(happenings: readonly Happening[]): readonly Happening[] {
  return happenings.some(({ what }) => what === "other")
    ? happenings.filter(({ what }) => what !== "remove-record")
    : happenings;
}

/** A replica with other credentials makes the Lease of the replicas anew, and knows nothing of the others. */
const removedRecord: { readonly seed: number; readonly happenings: Happening[] } = {
  seed: 1,
  happenings: [
    { afterMs: 0, nth: 0, what: "other", forMs: 100 },
    { afterMs: 1_791, nth: 0, what: "pause", forMs: 100 },
    { afterMs: 0, nth: 0, what: "remove-record", forMs: 100 },
  ],
};

/** Long enough for the longest pause, and for the Leases of what was killed. */
const calmMs = 100_000;

/** What a schedule shows: two writers of a shard, or shards that are not spread at the end. */
async function found(
  { seed, happenings }: { readonly seed: number; readonly happenings: readonly Happening[] },
  bug?: PlantedBug,
): Promise<readonly string[]> {
  const simulation = await Simulation.installed(seed, bug);
  for (const each of happenings) await simulation.happen(each);
  await simulation.clock.advance(calmMs);
  const isMixed = happenings.some(({ what }) => what === "other");
  const before = simulation.world.writes.length;
  await simulation.clock.advance(10_000);
  const { unsettled, world } = simulation;
  const slow = unsettled === "" && !isMixed ? await simulation.slowToLeave() : "";
  for (const replica of simulation.all) replica.kill();
  return [
    ...world.overlapping.map((text) => `two writers of ${text}`),
    // Replicas with other credentials wait until the others have gone.
    ...(unsettled === "" || isMixed ? [] : [`not spread: ${unsettled}`]),
    ...(slow === "" ? [] : [`a replica ended, and after 10 s not spread: ${slow}`]),
    ...(world.writes.length > before ? [] : ["nobody writes"]),
  ];
}

describe("replicas that share shards", () => {
  it("never write one shard at once, and spread them again, whatever happens", async ({
    expect,
  }) => {
    expect(await found(removedRecord)).toEqual([]);
    const law = fc.asyncProperty(schedule, async ({ seed, happenings }) => {
      const problems = await found({ seed, happenings: withoutKnownLimit(happenings) });
      if (problems.length > 0) throw new Error(problems.join("\n"));
    });
    await fc.assert(law, cases(40));
  }, 300_000);

  it.for([1, 2])("spread them within 10 s after %i more start", async (joins, { expect }) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const simulation = await Simulation.installed(seed);
      for (let nth = 0; nth < joins; nth += 1) simulation.join();
      // A write may take five seconds, and a shard is given back after it.
      await simulation.clock.advance(10_000);
      expect(simulation.unsettled, `seed ${seed}`).toBe("");
      for (const replica of simulation.all) replica.kill();
    }
  });

  it("write nothing while the API server is gone for an hour, and go on when it is back", async ({
    expect,
  }) => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const simulation = await Simulation.installed(seed);
      const { world, clock, all } = simulation;
      const from = clock.monotonicMs();
      for (const replica of all) replica.network = "cut";
      await clock.advance(3_600_000);
      // Ten seconds after its last renewal, which may have been sent just before, a holder begins no write any more.
      const late = world.writes.filter((write) => write.from > from + 10_500);
      expect(late, `seed ${seed}`).toEqual([]);
      const back = world.writes.length;
      for (const replica of all) replica.network = "ok";
      await clock.advance(20_000);
      expect(simulation.unsettled, `seed ${seed}`).toBe("");
      const written = new Set(world.writes.slice(back).map(({ shard }) => shard));
      expect(written.size, `seed ${seed}`).toBe(shards.length);
      expect(world.overlapping).toEqual([]);
      for (const replica of all) replica.kill();
    }
  }, 120_000);

  it.for<PlantedBug>([
    "ignores versions",
    "asks no clock",
    "gives back too early",
    "believes the assignment",
    "waits too short",
    "ignores set-ups",
    "keeps what it has",
    "sees only itself",
    "counts the dead",
    "never leaves",
  ])("would show a replica that %s", { timeout: 300_000 }, async (bug, { expect }) => {
    const drawn = fc.sample(schedule, { seed: 7, numRuns: 60 });
    let caught = 0;
    for (const each of drawn) {
      if ((await found(each, bug)).length > 0) caught += 1;
      if (caught > 0) break;
    }
    expect(caught).toBeGreaterThan(0);
  });
});
