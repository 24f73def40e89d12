import { describe, it } from "vitest";

import { Election, type ElectionObserver } from "../../src/cluster/election.ts";
import {
  HeldLease,
  leaseTiming,
  momentOf,
  requestTimeoutMs,
  writeLimitMs,
} from "../../src/cluster/held-lease.ts";
import type { LeaseStore } from "../../src/cluster/lease.ts";
import { errorText } from "../../src/syntax/error-code.ts";
import { SimulatedClock } from "../support/clock.ts";
import {
  claimOf,
  silent,
  SimulatedLease,
  SimulatedMachine,
  SimulatedProcess,
  timing,
} from "../support/simulated-cluster.ts";

const never = new AbortController().signal;

class Stage {
  readonly clock = new SimulatedClock();
  readonly lease = new SimulatedLease(this.clock);

  constructor() {
    this.lease.giveBack();
  }

  process(name: string, observer: ElectionObserver = silent): SimulatedProcess {
    return new SimulatedProcess(name, this.clock, this.lease, () => 0.5, observer);
  }

  /** A process, and what it tells of failures of the Lease. */
  telling(name: string): { readonly process: SimulatedProcess; readonly told: readonly string[] } {
    const told: string[] = [];
    const process = this.process(name, {
      ...silent,
      failed: ({ message }) => told.push(message),
      recovered: () => told.push("recovered"),
    });
    return { process, told };
  }

  /** Seconds until a process holds the Lease. */
  async secondsUntilHeld(process: SimulatedProcess): Promise<number> {
    const from = this.clock.monotonicMs();
    await this.clock.run(process.acquire(never));
    return (this.clock.monotonicMs() - from) / 1_000;
  }
}

function reasonOf(signal: AbortSignal): string {
  return signal.aborted ? errorText(signal.reason) : "";
}

describe("a candidate", () => {
  it("makes a Lease that is missing, and waits for the holder of one that was removed", async ({
    expect,
  }) => {
    const stage = new Stage();
    stage.lease.remove();
    const seconds = await stage.secondsUntilHeld(stage.process("a"));
    expect(seconds).toBeGreaterThan(15);
    // The time is over once, not twice, and it holds the Lease meanwhile.
    expect(seconds).toBeLessThan(15.5);
    expect(stage.lease.current).toMatchObject({
      holder: "a",
      transitions: 0,
      installation: claimOf().installation,
    });
  });

  it.for(["", "b", "somebody else"])(
    'waits for the holder that somebody replaced by "%s"',
    async (name, { expect }) => {
      const stage = new Stage();
      const [first, second] = [stage.process("a"), stage.process("b")];
      const held = await stage.clock.run(first.acquire(never));
      await stage.clock.advance(20_000);
      stage.lease.setHolder(name);
      // The holder hears of it only at its next renewal, and finishes the write that it has begun.
      first.isPaused = true;
      expect(await stage.secondsUntilHeld(second)).toBeGreaterThan(14.9);
      expect(first.election.fence.isHeld()).toBe(false);
      first.resume();
      await stage.clock.advance(5_000);
      expect(reasonOf(held.signal)).not.toBe("");
      expect(stage.lease.current).toMatchObject({ holder: "b" });
    },
  );

  it("takes a Lease that was given back at its next look", async ({ expect }) => {
    const stage = new Stage();
    const [first, second] = [stage.process("a"), stage.process("b")];
    const held = await stage.clock.run(first.acquire(never));
    expect(first.election.view).toMatchObject({ isHeld: true, holder: "a", transitions: 1 });
    const waiting = second.acquire(never);
    await stage.clock.advance(20_000);
    await stage.clock.run(held[Symbol.asyncDispose]());
    const from = stage.clock.monotonicMs();
    await stage.clock.run(waiting);
    expect(stage.clock.monotonicMs() - from).toBeLessThan(3_000);
    expect(stage.lease.current).toMatchObject({ holder: "b", transitions: 2 });
  });

  it("waits for the whole time of a holder that fell silent, from when it saw it last", async ({
    expect,
  }) => {
    const stage = new Stage();
    const [first, second] = [stage.process("a"), stage.process("b")];
    await stage.clock.run(first.acquire(never));
    first.isPaused = true;
    // The wall clock of who waits is an hour ahead: the times in the Lease say that it is long over.
    stage.clock.step(3_600_000);
    const seconds = await stage.secondsUntilHeld(second);
    expect(seconds).toBeGreaterThan(15);
    expect(seconds).toBeLessThan(19);
  });

  it("does not take the Lease of a holder that renews, however long it waits", async ({
    expect,
  }) => {
    const stage = new Stage();
    const [first, second] = [stage.process("a"), stage.process("b")];
    await stage.clock.run(first.acquire(never));
    void second.acquire(never);
    await stage.clock.advance(600_000);
    expect(stage.lease.taken.map(({ holder }) => holder)).toEqual(["a"]);
    expect(second.election.view).toMatchObject({ isHeld: false, holder: "a" });
  });

  it("waits for a holder whose Lease says no duration", async ({ expect }) => {
    const stage = new Stage();
    const [first, second] = [stage.process("a"), stage.process("b")];
    await stage.clock.run(first.acquire(never));
    first.isPaused = true;
    stage.lease.forgetDuration();
    expect(await stage.secondsUntilHeld(second)).toBeGreaterThan(14.9);
  });

  it("knows that another process of its installation leads as long as that renews", async ({
    expect,
  }) => {
    const stage = new Stage();
    const [first, second] = [stage.process("a"), stage.process("b")];
    const held = await stage.clock.run(first.acquire(never));
    const stop = new AbortController();
    expect(second.election.view.isLed).toBe(false);
    const waiting = second.acquire(stop.signal).catch(() => undefined);
    await stage.clock.advance(60_000);
    expect([first, second].map(({ election }) => election.view.isLed)).toEqual([false, true]);
    second.network = "cut";
    await stage.clock.advance(12_000);
    expect(second.election.view.isLed).toBe(true);
    await stage.clock.advance(4_000);
    expect(second.election.view.isLed).toBe(false);
    second.network = "ok";
    first.isPaused = true;
    stage.lease.setInstallation("them at https://service.example");
    await stage.clock.advance(3_000);
    expect(second.election.view).toMatchObject({ holder: "a", isLed: false });
    first.resume();
    stop.abort();
    await stage.clock.run(Promise.all([waiting, held[Symbol.asyncDispose]()]));
  });

  it("looks again after a little more than the retry, so that candidates do not ask together", async ({
    expect,
  }) => {
    const stage = new Stage();
    const [first, second] = [stage.process("a"), stage.process("b")];
    await stage.clock.run(first.acquire(never));
    const waiting = stage.secondsUntilHeld(second);
    // Its first look finds the holder; what happens after that, it sees at the second one.
    await stage.clock.advance(400);
    stage.lease.giveBack();
    // 0.3 s for each of three exchanges, and 2.2 s between the looks.
    expect(await waiting).toBeCloseTo(3.1, 1);
  });

  it("knows nothing of a Lease before its first look, and its own name", ({ expect }) => {
    const { election } = new Stage().process("a");
    const nothing = { isHeld: false, isLed: false, holder: "", page: "", failure: undefined };
    expect(election.view).toEqual({ ...nothing, transitions: 0 });
    expect([election.identity, election.lease]).toEqual(["a", "lease"]);
    election.fence.endIfOver();
    expect(election.view).toEqual({ ...nothing, transitions: 0 });
  });

  it("that was stopped before takes no Lease", async ({ expect }) => {
    const stage = new Stage();
    const acquired = stage.process("a").acquire(AbortSignal.abort("stopped"));
    await expect(stage.clock.run(acquired)).rejects.toBe("stopped");
    expect(stage.lease.current?.holder).toBe("");
  });

  it.for([
    ["https://pods.example/a", "https://pods.example/a"],
    ["http://10.0.0.7:9464/", "http://10.0.0.7:9464/"],
    ["javascript:alert(1)", ""],
    ["pods.example", ""],
  ] as const)("shows the page %s of a holder as %s", async ([page, shown], { expect }) => {
    const stage = new Stage();
    const [first, second] = [stage.process("a"), stage.process("b")];
    await stage.clock.run(first.acquire(never));
    first.isPaused = true;
    stage.lease.setPage(page);
    void second.acquire(never);
    await stage.clock.advance(1_000);
    expect(second.election.view).toMatchObject({ holder: "a", page: shown });
  });

  it.for([
    { durationMs: 60_000, waits: 60 },
    { durationMs: 2 ** 53, waits: 300 },
  ])(
    "waits for a holder as long as that says, if it is longer than its own time, and at most 5 minutes",
    async ({ durationMs, waits }, { expect }) => {
      const stage = new Stage();
      const second = stage.process("b");
      const { current } = stage.lease;
      const claim = claimOf({ installation: "", durationMs });
      if (current !== undefined) stage.lease.update(current, claim);
      const seconds = await stage.secondsUntilHeld(second);
      expect(seconds).toBeGreaterThan(waits);
      expect(seconds).toBeLessThan(waits + 3);
    },
  );

  it("that comes second where two create the Lease waits without an error", async ({ expect }) => {
    const stage = new Stage();
    stage.lease.remove();
    const two = ["a", "b"].map((name) => stage.telling(name));
    for (const { process } of two) void process.acquire(never);
    await stage.clock.advance(40_000);
    expect(two.map(({ told }) => told)).toEqual([[], []]);
    expect(two.filter(({ process }) => process.election.fence.isHeld())).toHaveLength(1);
    expect(stage.lease.taken).toHaveLength(1);
  });

  it("tells that it can read the Lease again, although another process holds it", async ({
    expect,
  }) => {
    const stage = new Stage();
    const first = stage.process("a");
    await stage.clock.run(first.acquire(never));
    const { process, told } = stage.telling("b");
    process.network = "cut";
    void process.acquire(never);
    await stage.clock.advance(8_000);
    expect(process.election.view).toMatchObject({ holder: "", failure: "no answer" });
    process.network = "ok";
    await stage.clock.advance(8_000);
    expect(told).toEqual(["no answer", "recovered"]);
    expect(process.election.view).toMatchObject({ holder: "a", failure: undefined });
  });

  it("tells of an outage once, and of another kind of failure again", async ({ expect }) => {
    const clock = new SimulatedClock();
    const codes = ["08006", "08P01", "28P01", "28P01"].map((code) => ({ code }));
    const failures = [...codes, ...[500, 403, 403].map((status) => ({ status }))];
    const told: unknown[] = [];
    const read = async (): Promise<never> => {
      throw Object.assign(new Error("no"), failures.shift());
    };
    const process = { lease: "x", leaseDurationMs: 15_000, identity: "a", page: "" };
    const machine = new SimulatedMachine(clock, () => 0.5);
    const election = new Election(
      { ...process, owner: "us", service: "https://service.example" },
      { leases: { read, create: read, update: read }, clock: machine.clock, random: () => 0.5 },
    );
    const failed = (error: Error): void =>
      void told.push("status" in error ? error.status : "code" in error && error.code);
    void election.acquire("", { ...silent, failed }, never);
    await clock.advance(16_000);
    expect(failures).toEqual([]);
    expect(told).toEqual(["08006", "28P01", 500, 403, false]);
  });

  it("is told once who leads, and once that another installation does", async ({ expect }) => {
    const stage = new Stage();
    const told: string[] = [];
    stage.lease.remove();
    const second = stage.process("b", {
      failed: ({ message }) => told.push(`failed: ${message}`),
      recovered: () => told.push("recovered"),
      leads: (holder) => told.push(`${holder} leads`),
      foreign: ({ installation }) => told.push(`${installation} leads`),
    });
    stage.lease.create(claimOf({ holder: "x", installation: "theirs" }));
    void second.acquire(never);
    await stage.clock.advance(10_000);
    expect(second.election.view).toMatchObject({ holder: "x", isLed: false });
    second.network = "cut";
    await stage.clock.advance(20_000);
    second.network = "ok";
    await stage.clock.advance(10_000);
    // That nobody holds it is nobody's lead.
    for (const holder of ["", "x"]) {
      stage.lease.setHolder(holder);
      await stage.clock.advance(5_000);
    }
    expect(told).toEqual(["theirs leads", "failed: no answer", "recovered"]);
  });

  it.for([
    { leader: "1", says: "a leads" },
    { leader: "2", says: "us at https://service.example, store 2 leads" },
    // As an older program claims it.
    { leader: "", says: "a leads" },
  ])("of store 1 is told of the leader with '$leader': $says", async (each, { expect }) => {
    const stage = new Stage();
    const told: string[] = [];
    const first = stage.process("a");
    first.storeId = each.leader;
    await stage.clock.run(first.acquire(never));
    const second = stage.process("b", {
      ...silent,
      leads: (holder) => told.push(`${holder} leads`),
      foreign: ({ installation }) => told.push(`${installation} leads`),
    });
    second.storeId = "1";
    void second.acquire(never);
    await stage.clock.advance(10_000);
    expect(told).toEqual([each.says]);
  });
});

/** A candidate, and a holder that hears no more of its Lease: somebody removed it. */
async function removedLease(): Promise<{
  readonly stage: Stage;
  readonly first: SimulatedProcess;
  readonly second: SimulatedProcess;
}> {
  const stage = new Stage();
  const [first, second] = [stage.process("a"), stage.process("b")];
  await stage.clock.run(first.acquire(never));
  first.network = "cut";
  stage.lease.remove();
  return { stage, first, second };
}

describe("a candidate that creates a Lease which was removed", () => {
  it("waits even where the answer to the creation was lost", async ({ expect }) => {
    const { stage, first, second } = await removedLease();
    const from = stage.clock.monotonicMs();
    const waiting = second.acquire(never);
    // The first look finds no Lease; the answer to what follows does not arrive.
    await stage.clock.advance(400);
    second.network = "answers-lost";
    await stage.clock.advance(6_000);
    expect(stage.lease.current?.holder).toBe("b");
    second.network = "ok";
    await stage.clock.run(waiting);
    expect(stage.clock.monotonicMs() - from).toBeGreaterThan(15_000);
    expect(first.election.fence.isHeld()).toBe(false);
  });

  it("waits even where another one created it first, and gave it back", async ({ expect }) => {
    const { stage, second } = await removedLease();
    const from = stage.clock.monotonicMs();
    const waiting = second.acquire(never);
    // The first look finds no Lease; what follows does not arrive.
    await stage.clock.advance(400);
    second.network = "cut";
    await stage.clock.advance(2_000);
    stage.lease.giveBack();
    second.network = "ok";
    await stage.clock.run(waiting);
    const seconds = (stage.clock.monotonicMs() - from) / 1_000;
    expect(seconds).toBeGreaterThan(15);
    expect(seconds).toBeLessThan(16);
    expect(stage.lease.current).toMatchObject({ holder: "b", transitions: 1 });
  });

  it("does not give it back when it ends before: nobody would know to wait", async ({ expect }) => {
    const { stage, second } = await removedLease();
    const stop = new AbortController();
    const waiting = second.acquire(stop.signal);
    await stage.clock.advance(5_000);
    stop.abort();
    await expect(stage.clock.run(waiting)).rejects.toThrow();
    expect(stage.lease.current?.holder).toBe("b");
    // Nor does it renew: others may take the Lease when its time is over.
    const lease = stage.lease.current;
    await stage.clock.advance(20_000);
    expect(stage.lease.current).toEqual(lease);
  });
});

describe("a candidate that waits for the holder of a Lease which was removed", () => {
  it.for([5_000, 14_500])(
    "waits again where it was paused after %i ms: its own time is over",
    async (ms, { expect }) => {
      const stage = new Stage();
      stage.lease.remove();
      const process = stage.process("a");
      const waiting = process.acquire(never);
      await stage.clock.advance(ms);
      process.isPaused = true;
      await stage.clock.advance(30_000);
      process.resume();
      await stage.clock.advance(1);
      expect(process.election.fence.isHeld()).toBe(false);
      await stage.clock.run(waiting);
      expect(process.election.fence.isHeld()).toBe(true);
      expect(stage.lease.current?.holder).toBe("a");
    },
  );
});

describe("a holder that ends", () => {
  it("gives the Lease back though somebody changed a label of it", async ({ expect }) => {
    const stage = new Stage();
    const { process, told } = stage.telling("a");
    const held = await stage.clock.run(process.acquire(never));
    stage.lease.touch();
    await stage.clock.run(held[Symbol.asyncDispose]());
    expect(stage.lease.current).toMatchObject({ holder: "", releasedBy: "a" });
    expect(told).toEqual([]);
    expect(stage.clock.sleeping).toBe(0);
    // A Lease that was given back is not lost.
    await stage.clock.advance(60_000);
    process.election.fence.endIfOver();
    expect(held.signal.aborted).toBe(false);
  });

  it("says that the Lease cannot be given back while the network is cut", async ({ expect }) => {
    const stage = new Stage();
    const { process, told } = stage.telling("a");
    const held = await stage.clock.run(process.acquire(never));
    process.network = "cut";
    await stage.clock.run(held[Symbol.asyncDispose]());
    expect(told).toHaveLength(1);
    expect(stage.lease.current).toMatchObject({ holder: "a" });
  });

  it("gives it back in one request, after the answer to a renewal that is under way", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const lease = new SimulatedLease(clock);
    const machine = new SimulatedMachine(clock, () => 0.5);
    const store = machine.storeOf(lease);
    const told: string[] = [];
    const logged = async <T>(what: string, answer: Promise<T>): Promise<T> => {
      told.push(what);
      return await answer.finally(() => told.push("answered"));
    };
    const leases: LeaseStore = {
      ...store,
      read: (ms) => logged("reads", store.read(ms)),
      update: (known, claim, ms) =>
        logged(claim.holder === "" ? "gives back" : "renews", store.update(known, claim, ms)),
    };
    const created = lease.create(claimOf());
    if (created.result !== "written") throw new Error("there is a Lease");
    const [failed, renewed] = [(error: unknown) => told.push(String(error)), () => undefined];
    const ports = { leases, clock: machine.clock, timing, identity: "a", failed, renewed };
    const held = new HeldLease(created.lease, momentOf(machine.clock), {
      ...ports,
      claim: () => claimOf(),
    });
    await clock.advance(timing.retryMs + 1);
    await clock.run(held[Symbol.asyncDispose]());
    expect(told).toEqual(["renews", "answered", "gives back", "answered"]);
    expect(lease.current?.releasedBy).toBe("a");
  });

  it("leaves a Lease alone that was removed, or that another took", async ({ expect }) => {
    for (const holder of [undefined, "b"]) {
      const stage = new Stage();
      const { process, told } = stage.telling("a");
      const held = await stage.clock.run(process.acquire(never));
      if (holder === undefined) stage.lease.remove();
      else stage.lease.setHolder(holder);
      await stage.clock.run(held[Symbol.asyncDispose]());
      expect(stage.lease.current?.holder).toBe(holder);
      expect(told).toEqual([]);
    }
  });
});

describe("a holder", () => {
  it("has no more alarms set after an hour of renewals than after the first", async ({
    expect,
  }) => {
    const stage = new Stage();
    await stage.clock.run(stage.process("a").acquire(never));
    await stage.clock.advance(3_000);
    const first = stage.clock.sleeping;
    await stage.clock.advance(3_600_000);
    expect(stage.clock.sleeping).toBe(first);
  });

  it("may write until ten seconds after it last sent a renewal that succeeded", async ({
    expect,
  }) => {
    const stage = new Stage();
    const process = stage.process("a");
    const held = await stage.clock.run(process.acquire(never));
    process.network = "cut";
    await stage.clock.advance(9_000);
    expect(process.election.fence.isHeld()).toBe(true);
    await stage.clock.advance(3_000);
    expect(process.election.fence.isHeld()).toBe(false);
    expect(String(held.signal.reason)).toBe("LeaseLost: not_renewed");
  });

  it("is told of the loss in the moment from which it may not write", async ({ expect }) => {
    const stage = new Stage();
    const process = stage.process("a");
    const held = await stage.clock.run(process.acquire(never));
    // Its deadline was moved several times.
    await stage.clock.advance(31_000);
    process.network = "cut";
    while (held.isHeld) await stage.clock.advance(10);
    expect(reasonOf(held.signal)).toBe("not_renewed");
  });

  it("that lost its Lease takes it when the time since its last renewal is over", async ({
    expect,
  }) => {
    const stage = new Stage();
    const process = stage.process("a");
    const held = await stage.clock.run(process.acquire(never));
    await stage.clock.advance(20_000);
    process.network = "cut";
    await stage.clock.advance(20_000);
    await stage.clock.run(held.abandon());
    process.network = "ok";
    expect(await stage.secondsUntilHeld(process)).toBeLessThan(2);
    expect(process.election.view.failure).toBeUndefined();
  });

  it("that was paused may not write, before any of its timers has run", async ({ expect }) => {
    const stage = new Stage();
    const process = stage.process("a");
    const held = await stage.clock.run(process.acquire(never));
    process.isPaused = true;
    await stage.clock.advance(60_000);
    expect(held.signal.aborted).toBe(false);
    expect(process.election.fence.isHeld()).toBe(false);
    // To ask changes nothing.
    expect(held.signal.aborted).toBe(false);
    process.election.fence.endIfOver();
    expect(held.signal.aborted).toBe(true);
  });

  it("does not give a Lease back whose time is over", async ({ expect }) => {
    const stage = new Stage();
    const process = stage.process("a");
    const held = await stage.clock.run(process.acquire(never));
    process.network = "cut";
    await stage.clock.advance(20_000);
    process.network = "ok";
    const lease = stage.lease.current;
    await stage.clock.run(held[Symbol.asyncDispose]());
    expect(lease?.holder).toBe("a");
    expect(stage.lease.current).toEqual(lease);
  });

  it.for([
    { durationMs: 15_000, requestMs: 5_000, writeMs: 5_000 },
    { durationMs: 60_000, requestMs: 20_000, writeMs: 20_000 },
    // No request ends before its answer can arrive.
    { durationMs: 2_400, requestMs: 1_000, writeMs: 800 },
  ])(
    "of $durationMs ms has $requestMs ms for a request and $writeMs ms for a write",
    ({ durationMs, requestMs, writeMs }, { expect }) => {
      const times = leaseTiming(durationMs);
      expect([requestTimeoutMs(times), writeLimitMs(times)]).toEqual([requestMs, writeMs]);
    },
  );

  it("that was paused beyond its time does not renew the Lease any more", async ({ expect }) => {
    const stage = new Stage();
    const process = stage.process("a");
    const held = await stage.clock.run(process.acquire(never));
    await stage.clock.advance(5_000);
    process.isPaused = true;
    await stage.clock.advance(12_000);
    const { version } = stage.lease.current ?? {};
    process.resume();
    await stage.clock.advance(10_000);
    expect(reasonOf(held.signal)).toBe("not_renewed");
    expect(stage.lease.current?.version).toBe(version);
  });

  it("tells that it cannot read a Lease that somebody changed", async ({ expect }) => {
    const stage = new Stage();
    const { process, told } = stage.telling("a");
    await stage.clock.run(process.acquire(never));
    await stage.clock.advance(1_000);
    stage.lease.touch();
    // The renewal is refused after some 2,300 ms, and the Lease is then read.
    await stage.clock.advance(1_250);
    process.network = "cut";
    await stage.clock.advance(6_000);
    expect(told).toEqual(["no answer"]);
  });

  it("tells once that it cannot renew, and that it can again", async ({ expect }) => {
    const stage = new Stage();
    const { process, told } = stage.telling("a");
    await stage.clock.run(process.acquire(never));
    process.network = "cut";
    await stage.clock.advance(8_000);
    expect([told, process.election.view.failure]).toEqual([["no answer"], "no answer"]);
    process.network = "ok";
    await stage.clock.advance(5_000);
    expect([told, process.election.view.failure]).toEqual([["no answer", "recovered"], undefined]);
    expect(process.election.fence.isHeld()).toBe(true);
  });

  it.for([
    { what: "holds", holdsFirst: true },
    { what: "stands for", holdsFirst: false },
  ])("tells once that every write of the Lease it $what conflicts", async (row, { expect }) => {
    const stage = new Stage();
    const { process, told } = stage.telling("a");
    if (row.holdsFirst) await stage.clock.run(process.acquire(never));
    stage.lease.isContended = true;
    const waiting = row.holdsFirst ? undefined : process.acquire(never);
    await stage.clock.advance(8_000);
    const conflicts = "two writes in a row conflicted with those of somebody else";
    expect([told, process.election.view.failure]).toEqual([[conflicts], conflicts]);
    stage.lease.isContended = false;
    await stage.clock.advance(5_000);
    await waiting;
    expect([told, process.election.view.failure]).toEqual([[conflicts, "recovered"], undefined]);
    expect(process.election.fence.isHeld()).toBe(true);
  });

  it("tells nothing of two conflicts between which another process led", async ({ expect }) => {
    const stage = new Stage();
    const { process, told } = stage.telling("a");
    stage.lease.isContended = true;
    void process.acquire(never);
    await stage.clock.advance(1_000);
    stage.lease.setHolder("x");
    await stage.clock.advance(3_000);
    expect(process.election.view.holder).toBe("x");
    stage.lease.giveBack();
    await stage.clock.advance(3_000);
    expect(told).toEqual([]);
    await stage.clock.advance(3_000);
    expect(told).toHaveLength(1);
  });

  it("tells nothing of two conflicts between which it led itself", async ({ expect }) => {
    const stage = new Stage();
    const { process, told } = stage.telling("a");
    stage.lease.isContended = true;
    const waiting = process.acquire(never);
    await stage.clock.advance(1_000);
    stage.lease.isContended = false;
    const held = await stage.clock.run(waiting);
    await stage.clock.run(held[Symbol.asyncDispose]());
    stage.lease.isContended = true;
    void process.acquire(never);
    await stage.clock.advance(1_000);
    expect([told, stage.lease.current?.holder]).toEqual([[], ""]);
  });

  it("does not tell that it can renew again after its time is over", async ({ expect }) => {
    const stage = new Stage();
    const { process, told } = stage.telling("a");
    const held = await stage.clock.run(process.acquire(never));
    process.network = "cut";
    await stage.clock.advance(8_000);
    process.network = "ok";
    const { version } = stage.lease.current ?? {};
    while (stage.lease.current?.version === version) await stage.clock.advance(10);
    // The answer arrives while the process is paused.
    process.isPaused = true;
    await stage.clock.advance(10_000);
    process.resume();
    await stage.clock.advance(10);
    expect(reasonOf(held.signal)).toBe("not_renewed");
    expect(told).toEqual(["no answer"]);
  });

  it.for(["monotonic", "boot"] as const)(
    "that was suspended may not write though its %s clock stood still",
    async (clock, { expect }) => {
      const stage = new Stage();
      const [process, other] = [stage.process("a"), stage.process("b")];
      const held = await stage.clock.run(process.acquire(never));
      // What was counted in an earlier suspension stays counted.
      process.suspend(clock);
      await stage.clock.advance(3_000);
      process.resume();
      await stage.clock.advance(20_000);
      expect(process.election.fence.isHeld()).toBe(true);
      process.suspend(clock);
      await stage.secondsUntilHeld(other);
      process.resume();
      expect(process.election.fence.isHeld()).toBe(false);
      process.election.fence.endIfOver();
      expect(reasonOf(held.signal)).toBe("not_renewed");
    },
  );

  it("counts from when the renewal was sent, not from its answer", async ({ expect }) => {
    const stage = new Stage();
    const process = stage.process("a");
    await stage.clock.run(process.acquire(never));
    // The next renewal reaches the server after 2,150 ms; its answer waits until the process goes on.
    await stage.clock.advance(2_200);
    process.isPaused = true;
    await stage.clock.advance(7_000);
    process.network = "cut";
    process.resume();
    await stage.clock.advance(1_000);
    expect(process.election.fence.isHeld()).toBe(true);
    await stage.clock.advance(2_500);
    expect(process.election.fence.isHeld()).toBe(false);
  });

  it.for([
    {
      when: "somebody changes a label of the Lease",
      act: ({ lease }: Stage) => lease.touch(),
      loses: "",
    },
    { when: "the Lease is removed", act: ({ lease }: Stage) => lease.remove(), loses: "removed" },
    {
      when: "somebody else takes it",
      act: ({ lease }: Stage) => {
        const { current } = lease;
        const claim = claimOf({ holder: "b", installation: "" });
        if (current !== undefined) lease.update(current, claim);
      },
      loses: "taken",
    },
  ])("when $when loses it: $loses", async ({ act, loses }, { expect }) => {
    const stage = new Stage();
    const process = stage.process("a");
    const held = await stage.clock.run(process.acquire(never));
    await stage.clock.advance(5_000);
    act(stage);
    await stage.clock.advance(3_000);
    expect(process.election.fence.isHeld()).toBe(loses === "");
    await stage.clock.advance(17_000);
    expect(reasonOf(held.signal)).toBe(loses);
    expect(process.election.fence.isHeld()).toBe(loses === "");
  });

  it("holds the Lease again after it was removed, but works only when its holder's time is over", async ({
    expect,
  }) => {
    const stage = new Stage();
    const [first, second] = [stage.process("a"), stage.process("b")];
    await stage.clock.run(first.acquire(never));
    first.network = "cut";
    stage.lease.remove();
    const seconds = await stage.secondsUntilHeld(second);
    expect(seconds).toBeGreaterThan(15);
    expect(first.election.fence.isHeld()).toBe(false);
    expect(second.election.fence.isHeld()).toBe(true);
  });
});
