import { setImmediate } from "node:timers/promises";

import { describe, it } from "vitest";

import { nodeFiles } from "../../src/desired/file-system.ts";
import type { Host } from "../../src/host/host.ts";
import { historyFile } from "../../src/memory/directory/history-file.ts";
import {
  nodeStateDirectory,
  type StateDirectory,
} from "../../src/memory/directory/state-directory.ts";
import { DirectoryLocked } from "../../src/memory/directory/state-lock.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { MemoryDirectory } from "../support/memory-directory.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";
import { allRun } from "../support/settled-example.ts";

const shop = "shop.example.com";
const config = 'schedule: { cron: "0 0 1 * *" }\nstore: { path: state }';

/** Lets go on what does not wait. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await setImmediate();
}

describe("what a run remembers of a zone", () => {
  it("is on the disk before the first write is sent: a kill after it leaves no drift", async ({
    expect,
  }) => {
    const written: { readonly text: string; readonly writes: number }[] = [];
    const stateDirectory: Host["stateDirectory"] = (directory) => {
      const real = nodeStateDirectory(directory);
      const noting: StateDirectory = {
        ...real,
        append: (name, offset, text) => noted(text, real.append(name, offset, text)),
        replace: (name, text) =>
          noted(typeof text === "string" ? text : "", real.replace(name, text)),
      };
      return noting;
    };
    const noted = async (text: string, store: Promise<void>): Promise<void> => {
      await store;
      // However slow the disk is.
      if (text.includes(`applied/${shop}`)) await turns();
      const writes = writesSeenBy(example.emulator).filter((each) => each.includes("page_shield"));
      written.push({ text, writes: writes.length });
    };
    await using example = await exampleWithEmulator({ config, ports: { stateDirectory } });
    const daemon = example.place.start("run");
    await logged(daemon, "plan applied", { zone: shop });
    await stop(daemon);
    expect(written.find(({ text }) => text.includes(`applied/${shop}`))).toMatchObject({
      writes: 0,
    });
    expect(writesSeenBy(example.emulator)).not.toEqual([]);
  });

  it("is not written to a zone once another process has taken the store over", async ({
    expect,
  }) => {
    const answer = Promise.withResolvers<void>();
    const state = new MemoryDirectory();
    const exits: number[] = [];
    const ports = {
      stateDirectory: () => state,
      exit: (code: number): never => {
        exits.push(code);
        throw new DirectoryLocked("the process does not end at once");
      },
    };
    await using example = await exampleWithEmulator({ config, ports, sleep: () => answer.promise });
    const slow = { fault: "latency", milliseconds: 1, path: "*/page_shield*" };
    await control(example, "faults", slow);
    const daemon = example.place.start("run");
    await logged(daemon, "revision applied");
    state.files.set("state.lock", JSON.stringify({ id: "b", pid: 7, host: "there", beat: 3 }));
    answer.resolve();
    const { err } = await logged(daemon, "internal error");
    expect(err).toMatchObject({ message: "the store was taken over: nothing is written" });
    await stop(daemon);
    expect(exits).toContain(1);
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });
});

describe("a revision of which a file changed while it was stored, and changed back", () => {
  it("is stored after the next load", async ({ expect }) => {
    const state = new MemoryDirectory();
    let isChanged = true;
    const read: typeof nodeFiles.read = async (file, ...rest) => {
      const isLoaded = logLines(daemon).some(({ msg }) => msg === "revision applied");
      return isLoaded && isChanged ? Buffer.from("zones: []") : nodeFiles.read(file, ...rest);
    };
    const ports = { stateDirectory: () => state, files: { ...nodeFiles, read } };
    await using example = await exampleWithEmulator({ config, ports });
    const daemon = example.place.start("run");
    await allRun(daemon);
    isChanged = false;
    daemon.signal("SIGHUP");
    await eventually("it is stored", () =>
      state.files.get("state.jsonl")?.includes("file/shop.yaml") === true ? true : undefined,
    );
    expect(await stop(daemon)).toBe(0);
  });
});

describe("what a process knows when it ends", () => {
  it.for(["zone files", "history"])(
    "is stored before another process may have the store, where the disk of the %s is slow",
    async (slow, { expect }) => {
      const disk = Promise.withResolvers<void>();
      const state = new MemoryDirectory();
      const read: typeof nodeFiles.read = async (...args) => {
        // The files that are in force are read again to be stored.
        const isLoaded = logLines(daemon).some(({ msg }) => msg === "revision applied");
        if (slow === "zone files" && isLoaded) await disk.promise;
        return nodeFiles.read(...args);
      };
      const historyStore: Host["historyStore"] = (file) => {
        const store = historyFile(file);
        const add: typeof store.add = async (batch) => {
          if (slow === "history") await disk.promise;
          await store.add(batch);
        };
        return { ...store, add };
      };
      const ports = { stateDirectory: () => state, historyStore, files: { ...nodeFiles, read } };
      await using example = await exampleWithEmulator({ config, ports });
      const file = await example.place.read("zonewarden.yaml");
      await example.place.write("zonewarden.yaml", file.replace("mode: enforce", "mode: observe"));
      const daemon = example.place.start("run");
      await logged(daemon, "zone differs", { zone: shop });
      daemon.signal("SIGTERM");
      await logged(daemon, "stopping");
      await turns();
      expect([...state.files.keys()]).toContain("state.lock");

      disk.resolve();
      await daemon.ended;
      expect([...state.files.keys()]).toEqual(["state.jsonl"]);
      expect(state.files.get("state.jsonl")).toContain("file/shop.yaml");
      expect(await example.place.read("state/history.jsonl")).toContain(shop);
    },
  );
});
