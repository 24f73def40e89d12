import * as fc from "fast-check";
import { describe, it } from "vitest";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import { SimulatedClock } from "../support/clock.ts";
import { cases } from "../support/properties.ts";
import { SimulatedReplica } from "../support/simulated-replicas.ts";
import { type PlantedBug, SimulatedShards, SimulatedSolo } from "../support/simulated-shards.ts";

const shards = ["one", "two", "three", "four", "five"];

const cuts = ["pause", "cut", "answers-lost", "hide-record"];
const removals = ["remove-record", "strip-record"];
const faults = [...cuts, ...removals, "leave", "kill"];

/** Something that happens to a replica or to a Lease, so many milliseconds after what happened before. */
function happeningOf(what: readonly string[], max: number): fc.Arbitrary<Happening> {
  return fc.record({
    afterMs: fc.integer({ min: 0, max }),
    nth: fc.nat({ max: 5 }),
    what: fc.constantFrom(...what),
    forMs: fc.integer({ min: 100, max: 40_000 }),
  });
}

interface Happening {
  readonly afterMs: number;
  /** Which replica, or which Lease. */
  readonly nth: number;
  readonly what: string;
  readonly forMs: number;
}

const atMost = 5;

type Member = SimulatedReplica | SimulatedSolo;

/** Replicas that come, go and fail. */
class Simulation {
  readonly clock = new SimulatedClock();
  readonly world: SimulatedShards;
  readonly all: Member[] = [];
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

  get living(): readonly Member[] {
    return this.all.filter(({ isGone }) => !isGone);
  }

  join(setUp?: string): void {
    if (this.living.length >= atMost) return;
    this.#started += 1;
    const name = `r${this.#started}`;
    const replica =
      setUp === "none"
        ? new SimulatedSolo(name, this.world)
        : new SimulatedReplica(name, this.world, setUp);
    this.all.push(replica);
    void replica.live();
  }

  async happen({ afterMs, nth, what, forMs }: Happening): Promise<void> {
    await this.clock.advance(afterMs);
    const { living } = this;
    const replica = living[nth % living.length];
    if (what === "join") this.join();
    else if (what === "other") this.join("two");
    else if (what === "solo") this.join("none");
    else if (what === "remove-record") this.world.record.remove();
    else if (what === "strip-record") this.world.record.strip();
    else if (what === "remove") [...this.world.leases.values()][nth % shards.length]?.remove();
    else if (replica !== undefined) this.#befall(replica, what, forMs);
  }

  #befall(replica: Member, what: string, forMs: number): void {
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
    } else if (what === "hide-record") {
      replica.hidden = this.world.record;
      this.clock.alarm(forMs, () => {
        replica.hidden = undefined;
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

const seeds = fc.integer({ min: 1, max: 1_000_000 });

interface Schedule {
  readonly seed: number;
  readonly happenings: readonly Happening[];
}

const schedule: fc.Arbitrary<Schedule> = fc.record({
  seed: seeds,
  happenings: fc.array(happeningOf([...faults, "remove", "join", "other", "solo"], 9_000), {
    maxLength: 12,
  }),
});

/** Replicas that know nothing of the others start while the record is removed, and some of the others are cut off. */
const update: fc.Arbitrary<Schedule> = fc
  .tuple(
    seeds,
    happeningOf(["other", "solo"], 9_000),
    fc.array(happeningOf([...cuts, ...removals], 1_000), { minLength: 2, maxLength: 5 }),
    fc.array(happeningOf([...faults, "other", "solo"], 9_000), { maxLength: 6 }),
  )
  .map(([seed, starts, near, more]) => ({
    seed,
    happenings: [starts, ...near, ...more],
  }));

/** Long enough for the longest pause, and for the Leases of what was killed. */
const calmMs = 100_000;

/** What a schedule shows: two writers of a shard, or shards that are not spread at the end. */
async function found({ seed, happenings }: Schedule, bug?: PlantedBug): Promise<readonly string[]> {
  const simulation = await Simulation.installed(seed, bug);
  for (const each of happenings) await simulation.happen(each);
  await simulation.clock.advance(calmMs);
  const isMixed = happenings.some(({ what }) => what === "other" || what === "solo");
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

async function isCaught(bug: PlantedBug, schedules: readonly Schedule[]): Promise<boolean> {
  for (const each of schedules) if ((await found(each, bug)).length > 0) return true;
  return false;
}

describe("replicas that share shards", () => {
  it("never write one shard at once, and spread them again, whatever happens", async () => {
    const law = fc.asyncProperty(fc.oneof(schedule, update), async (drawn) => {
      const problems = await found(drawn);
      if (problems.length > 0) throw new Error(problems.join("\n"));
    });
    await fc.assert(law, cases(40));
  }, 300_000);

  it.for([1, 2])("spread them within 15 s after %i more start", async (joins, { expect }) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const simulation = await Simulation.installed(seed);
      for (let nth = 0; nth < joins; nth += 1) simulation.join();
      // A write may take five seconds, a shard is given back after it, and all replicas write one record.
      await simulation.clock.advance(15_000);
      expect(simulation.unsettled, `seed ${seed}`).toBe("");
      for (const replica of simulation.all) replica.kill();
    }
  });

  it("spread them within 10 s after one more starts, where another was killed", async ({
    expect,
  }) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const simulation = await Simulation.installed(seed);
      simulation.all[0]?.kill();
      await simulation.clock.advance(20_000);
      simulation.join();
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
    expect(await isCaught(bug, fc.sample(schedule, { seed: 2, numRuns: 150 }))).toBe(true);
  });

  it.for<PlantedBug>(["asks no record", "trusts a new record"])(
    "would show a replica that %s, when a record is removed while others start",
    { timeout: 300_000 },
    async (bug, { expect }) => {
      expect(await isCaught(bug, fc.sample(update, { seed: 3, numRuns: 500 }))).toBe(true);
    },
  );
});
