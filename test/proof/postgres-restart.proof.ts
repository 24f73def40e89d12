import { describe, it } from "vitest";

import { NewLines } from "../../src/history/chain/history-chain.ts";
import { verifyHistory } from "../../src/history/verify/verify-history.ts";
import { openDatabaseStore, type TermStore } from "../../src/memory/database-store.ts";
import { openDatabase } from "../../src/memory/postgres/open-database.ts";
import { SimulatedClock } from "../support/clock.ts";
import { noPostgres, PostgresServer } from "../support/postgres.ts";

const identity = { owner: "us", service: "https://service.example" };
const rounds = 12;

/** Whether a batch is known to be stored. */
async function isAdded({ history }: TermStore, lines: NewLines): Promise<boolean> {
  try {
    await history?.add({ lines });
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(noPostgres)(
  `a server that is lost in the middle of a batch ${noPostgres ?? ""}`,
  () => {
    it("has each line once afterwards, in one chain", async ({ expect }) => {
      await using server = await PostgresServer.start();
      const { url } = await server.createDatabase();
      await using database = openDatabase("zonewarden", () => Promise.resolve(url));
      await database.tables.migrate();
      const failures: string[] = [];
      const store = await openDatabaseStore("db", database.tables, identity, undefined, {
        clock: new SimulatedClock(),
        onFailure: ({ message }) => failures.push(message),
        onRecovery: () => failures.push("recovered"),
        onLost: (result) => failures.push(`lost: ${result}`),
      });
      /** Batches whose answer was lost, whether they were stored or not. */
      let unanswered = 0;
      let head = { chain: "c", n: 0, hash: "" };
      for (let round = 0; round < rounds; round += 1) {
        const lines = new NewLines(head, undefined);
        for (let line = 0; line < 400; line += 1) {
          const at = "2026-11-20T08:00:00.000Z";
          lines.add(
            round + line === 0
              ? { at, record: "begin", chain: "c", version: "1" }
              : { at, text: "x".repeat(500) },
            false,
          );
        }
        store.state.set("round", String(round));
        const added = isAdded(store, lines);
        // Before the batch, in the middle of it, and after it.
        await server.query(`SELECT pg_sleep(${(round % 4) * 0.004})`);
        await server.kill(round % 2 === 0 ? "SIGQUIT" : "SIGINT");
        await server.launch();
        let isStored = await added;
        if (!isStored) unanswered += 1;
        while (!isStored) {
          isStored = await isAdded(store, lines);
        }
        expect(await store.state.flush()).toBe(true);
        ({ head } = lines);
      }
      const { files } = await verifyHistory(
        [{ file: "db", pieces: () => database.tables.historyLines() }],
        { head: head.hash },
      );
      const [checked] = files;
      const numbers = checked?.seals.map(({ n }) => n);
      expect(checked?.seals.at(-1)?.hash).toBe(head.hash);
      expect(numbers).toEqual(Array.from({ length: rounds * 400 }, (_, index) => index + 1));
      expect(await database.tables.entries()).toEqual(new Map([["round", String(rounds - 1)]]));
      expect(unanswered).toBeGreaterThan(0);
      expect(failures.filter((each) => each.startsWith("lost"))).toEqual([]);
    });
  },
);
