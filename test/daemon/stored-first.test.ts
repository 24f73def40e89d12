import { describe, it } from "vitest";

import type { Host } from "../../src/host/host.ts";
import {
  nodeStateDirectory,
  type StateDirectory,
} from "../../src/memory/directory/state-directory.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { stop } from "../support/running.ts";

const shop = "shop.example.com";

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
      const writes = writesSeenBy(example.emulator).filter((each) => each.includes("page_shield"));
      written.push({ text, writes: writes.length });
    };
    await using example = await exampleWithEmulator({
      config: 'schedule: { cron: "0 0 1 * *" }\nstore: { path: state }',
      ports: { stateDirectory },
    });
    const daemon = example.place.start("run");
    await logged(daemon, "plan applied", { zone: shop });
    await stop(daemon);
    expect(written.find(({ text }) => text.includes(`applied/${shop}`))).toMatchObject({
      writes: 0,
    });
    expect(writesSeenBy(example.emulator)).not.toEqual([]);
  });
});
