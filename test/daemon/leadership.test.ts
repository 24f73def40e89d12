import { describe, it } from "vitest";

import { Election } from "../../src/cluster/election.ts";
import { leaseRow } from "../../src/cluster/lease-row.ts";
import { workWhileLeading } from "../../src/daemon/leadership.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { Database } from "../../src/memory/postgres/open-database.ts";
import type { TermStore } from "../../src/memory/postgres/postgres-store.ts";
import { isAborted, type StopSignals } from "../../src/zone/signals.ts";
import { book } from "../support/log-book.ts";
import { installation, noPostgres, sharedPostgres } from "../support/postgres.ts";

const never = new AbortController().signal;
const identity = { owner: "us", service: "https://service.example" };

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (isAborted(signal)) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Leads with a database until `work` has been called so often; gives what was logged. */
async function leadTimes(
  times: number,
  database: Database,
  work: (nth: number, store: TermStore, signals: StopSignals) => Promise<void>,
): Promise<readonly unknown[]> {
  const leases = leaseRow(database.leaseConnection, database.schema);
  const clock = { ...systemClock, sinceBootMs: () => systemClock.monotonicMs() };
  const options = { lease: "row", leaseDurationMs: 3_000, identity: "a", page: "", ...identity };
  const election = new Election(options, { leases, clock, random: () => 0.5 });
  const { logger, lines } = book();
  const ended = new AbortController();
  let nth = 0;
  await workWhileLeading(
    {
      election,
      database,
      identity,
      logger,
      clock: systemClock,
      events: undefined,
      lost: () => undefined,
      work: async (store, signals) => {
        nth += 1;
        await work(nth, store, signals);
        if (nth === times) ended.abort();
      },
    },
    { stop: ended.signal, abort: never },
  );
  return lines().map(({ msg }) => msg);
}

describe.skipIf(noPostgres)(`work under a Lease ${noPostgres ?? ""}`, () => {
  it("that ends with the loss of the Lease begins again with the Lease", async ({ expect }) => {
    const { open, url } = await installation();
    await using database = open();
    const name = new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
    const server = await sharedPostgres();
    const messages = await leadTimes(2, database, async (nth, _store, { stop }) => {
      if (nth === 2) return;
      await server.query("UPDATE zonewarden.lease SET holder = 'b', version = version + 1", name);
      await untilAborted(stop);
      await server.query(
        "UPDATE zonewarden.lease SET holder = '', released_by = 'b', version = version + 1",
        name,
      );
      throw stop.reason;
    });
    expect(messages.filter((each) => each === "leadership lost")).toHaveLength(1);
    expect(messages.filter((each) => each === "leadership acquired")).toHaveLength(2);
  });

  it("whose database lost what it had stored begins again, and knows it", async ({ expect }) => {
    const { open, url } = await installation();
    await using database = open();
    const name = new URL(url.replace("@/", "@localhost/")).pathname.slice(1);
    const server = await sharedPostgres();
    const seen: boolean[] = [];
    const messages = await leadTimes(2, database, async (nth, store, { stop }) => {
      seen.push(store.isRestored);
      if (nth === 2) return;
      store.state.set("a", "1");
      expect(await store.state.flush()).toBe(true);
      // As after a restore from a backup: the term is an earlier one.
      await server.query("UPDATE zonewarden.installation SET term = 0", name);
      store.state.set("a", "2");
      expect(await store.state.flush()).toBe(false);
      await untilAborted(stop);
      throw stop.reason;
    });
    expect(messages).toContain("leadership lost");
    expect(seen).toEqual([false, true]);
  });
});
