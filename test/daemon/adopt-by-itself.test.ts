import { describe, it } from "vitest";

import { writesSeenBy } from "../support/example.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";
import {
  deleteFromFile,
  imported,
  plannedShop,
  probes,
  sale,
  stateOf,
  unownedRule,
} from "../support/unmarked-example.ts";

describe("the ownership of what was imported, in a daemon", () => {
  it("takes ownership by itself with desired.adopt: on_first_apply", async ({ expect }) => {
    await using found = await imported(
      "store: { path: state }\ndesired: { adopt: on_first_apply }",
    );
    const { place, emulator } = found;
    expect((await plannedShop(found)).changes).toHaveLength(3);
    const daemon = place.start("run");
    await eventually("it adopts", () => writesSeenBy(emulator).length === 3 || undefined);
    await eventually("it is in sync", () => daemon.stdout().includes("plan applied") || undefined);
    await stop(daemon);
    expect(await plannedShop(found)).toMatchObject({ changes: [], unowned: [] });
    await deleteFromFile(found, sale, probes);
    expect((await plannedShop(found)).changes).toHaveLength(2);
  });

  it("takes nothing by default", async ({ expect }) => {
    await using found = await imported();
    const daemon = found.place.start("run");
    await eventually("it ran", () => daemon.stdout().includes("revision applied") || undefined);
    await stop(daemon);
    expect(writesSeenBy(found.emulator)).toEqual([]);
    expect((await plannedShop(found)).unowned).toHaveLength(5);
  });

  it("deletes nothing that a forged state claims", async ({ expect }) => {
    await using found = await imported();
    const { place, emulator } = found;
    const rule = await unownedRule(found, probes);
    await deleteFromFile(found, probes);
    const forged = { ...rule, key: "never-declared" };
    await place.write("state/state.jsonl", stateOf(emulator.baseUrl, forged));
    const daemon = place.start("run");
    await eventually("it holds", () => daemon.stdout().includes("adopted_delete") || undefined);
    await stop(daemon);
    expect(writesSeenBy(emulator)).toEqual([]);
    expect((await place.run("apply")).code).toBe(4);
    expect(writesSeenBy(emulator)).toEqual([]);
  });
});
