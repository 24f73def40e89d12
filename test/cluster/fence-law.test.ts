import * as fc from "fast-check";
import { describe, it } from "vitest";

import { writeLimitMs } from "../../src/cluster/held-lease.ts";
import { seededRandom } from "../../src/emulator/control/faults.ts";
import { SimulatedClock } from "../support/clock.ts";
import { cases } from "../support/properties.ts";
import { SimulatedLease, SimulatedProcess, timing } from "../support/simulated-cluster.ts";

/** A write of a process, from the moment at which it is sent to the last at which it may arrive. */
interface WriteSeen {
  readonly by: string;
  readonly from: number;
  readonly to: number;
}

const limitMs = writeLimitMs(timing);

/** Something that happens to a process or to the Lease, so many milliseconds after what happened before. */
const happening = fc.record({
  afterMs: fc.integer({ min: 0, max: 12_000 }),
  process: fc.integer({ min: 0, max: 2 }),
  what: fc.constantFrom(
    "pause",
    "suspend-monotonic",
    "suspend-boot",
    "cut",
    "answers-lost",
    "touch",
    "remove",
  ),
  forMs: fc.integer({ min: 100, max: 40_000 }),
});

type Happening = ReturnType<typeof happening.generate>["value"];

class Simulation {
  readonly clock = new SimulatedClock();
  readonly lease = new SimulatedLease(this.clock);
  readonly writes: WriteSeen[] = [];
  readonly processes: readonly SimulatedProcess[];
  readonly #names = ["a", "b", "c"];
  readonly #random: () => number;
  readonly #stop = new AbortController();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.processes = this.#names.map(
      (name) => new SimulatedProcess(name, this.clock, this.lease, this.#random),
    );
    for (const [nth, process] of this.processes.entries()) {
      void this.#live(this.#names[nth] ?? "", process);
    }
  }

  /** Stands for the Lease, writes while it holds it, and stands again. */
  async #live(name: string, process: SimulatedProcess): Promise<void> {
    const stop = this.#stop.signal;
    while (!stop.aborted) {
      try {
        await using _held = await process.acquire(stop);
        // A process ends now and then, as one does that is replaced: its successor need not wait.
        const writes = 1 + Math.floor(this.#random() * 40);
        for (let nth = 0; nth < writes; nth += 1) {
          if (!process.election.fence.isHeld()) break;
          await this.#write(name, process);
        }
      } catch {
        return;
      }
    }
  }

  /** A write is sent in the moment in which the fence is asked, and ends within the limit; then comes a pause. */
  async #write(name: string, process: SimulatedProcess): Promise<void> {
    const takesMs = this.#random() * limitMs;
    const from = process.monotonicMs;
    const write = { by: name, from, to: from + limitMs };
    this.writes.push(write);
    await process.clock.sleep(takesMs, this.#stop.signal);
    // It is answered: where the process was not paused meanwhile, it did not take the whole time.
    write.to = Math.min(write.to, process.monotonicMs);
  }

  async happen({ afterMs, process: nth, what, forMs }: Happening): Promise<void> {
    await this.clock.advance(afterMs);
    const process = this.processes[nth];
    if (process === undefined) return;
    if (what === "pause" || what === "suspend-monotonic" || what === "suspend-boot") {
      if (what === "pause") process.isPaused = true;
      else process.suspend(what === "suspend-boot" ? "boot" : "monotonic");
      this.clock.alarm(forMs, () => process.resume());
    } else if (what === "cut" || what === "answers-lost") {
      process.network = what;
      this.clock.alarm(forMs, () => {
        process.network = "ok";
      });
    } else if (what === "touch") this.lease.touch();
    else this.lease.remove();
  }

  end(): void {
    this.#stop.abort();
  }
}

/**
 * A simulation whose first holder has stored its state. Before that, a Lease that is removed looks as if there never was
 * one: a second process that finds it so within the first second of an installation does not wait.
 */
async function installed(seed: number): Promise<Simulation> {
  const simulation = new Simulation(seed);
  await simulation.clock.advance(3_000);
  return simulation;
}

/** Writes that begin while one of another process may still arrive. */
function overlapping(writes: readonly WriteSeen[]): readonly string[] {
  return writes.flatMap((write) => {
    const { by, from, to } = write;
    const other = writes.find((each) => each.by !== by && each.from >= from && each.from < to);
    return other === undefined ? [] : [`${by} ${from}–${to}, ${other.by} ${other.from}`];
  });
}

describe("the fence of a Lease", () => {
  it("lets no process write while a write of another may still arrive, whatever happens", async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(happening, { maxLength: 12 }),
      async (seed, happenings) => {
        const simulation = await installed(seed);
        for (const each of happenings) await simulation.happen(each);
        await simulation.clock.advance(60_000);
        simulation.end();
        const found = overlapping(simulation.writes);
        if (found.length > 0) throw new Error(found.join("\n"));
      },
    );
    await fc.assert(law, cases(300));
  }, 120_000);

  it("lets some process write again within 40 s after the last fault", async () => {
    const law = fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(happening, { maxLength: 6 }),
      async (seed, happenings) => {
        const simulation = await installed(seed);
        for (const each of happenings) await simulation.happen(each);
        await simulation.clock.advance(40_000);
        const quiet = simulation.clock.monotonicMs();
        await simulation.clock.advance(40_000);
        simulation.end();
        if (simulation.writes.some(({ from }) => from > quiet)) return;
        throw new Error(`nobody wrote after ${quiet}`);
      },
    );
    await fc.assert(law, cases(60));
  }, 120_000);
});
