import { describe, it } from "vitest";

import { coerceObject } from "../../src/syntax/json.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop } from "../support/running.ts";

/** Six zones, of which the last three are not protected yet. */
const zones = Array.from({ length: 6 }, (_, nth) => ({
  name: `z${nth}.example.com`,
  id: String(nth).padStart(32, "0"),
  settings: { enabled: nth < 3 },
}));

/** At most two of the six zones may change. */
const config = `desired: { path: fleet }
store: { path: state }
schedule: { cron: "0 0 1 * *" }
limits: { min_fleet: 2, max_fleet_share: 0.4 }`;

const twoWaves = "{ waves: [{ share: 50% }, { share: 100% }] }";

async function unreadable(example: Example, nth: number): Promise<void> {
  const path = `*/zones/${zones[nth]?.id}/*`;
  await control(example, "faults", { fault: "status", status: 403, path });
}

/** Makes the zones readable again whose fault was ordered as the `nth`. */
async function readable({ emulator }: Example, nth: number): Promise<void> {
  const url = `${emulator.url}/_emulator/faults/${nth}`;
  const { ok } = await fetch(url, { method: "DELETE" });
  if (!ok) throw new Error("there is no such fault");
}

/** Declares the zones, so many of them as protected. */
async function declare({ place }: Example, isProtected: number): Promise<void> {
  const files = zones.map(({ name }, nth) => ({
    name,
    page_shield: { settings: { enabled: nth < isProtected } },
  }));
  await place.write("fleet/zones.yaml", JSON.stringify({ zones: files }));
}

describe("a daemon that starts again in an open first round", () => {
  it("counts the zones that were let pass after the round was opened", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config, seed: { zones } });
    await declare(example, 6);
    await unreadable(example, 4);
    await unreadable(example, 5);
    const first = example.place.start("run");
    const { zone } = await logged(first, "plan applied");
    expect(zone).toBe("z3.example.com");
    await readable(example, 1);
    first.signal("SIGHUP");
    await eventually(
      "the second zone is applied",
      () => logLines(first).filter(({ msg }) => msg === "plan applied").length === 2 || undefined,
    );
    await stop(first);
    const written = writesSeenBy(example.emulator).length;

    await readable(example, 2);
    const second = example.place.start("run");
    const { hold } = await logged(second, "revision held");
    expect(hold).toContain("would change 3 of 6 declared zones (2 of them already)");
    await stop(second);
    expect(writesSeenBy(example.emulator)).toHaveLength(written);
  });
});

describe("a revision of which the first round let no zone pass", () => {
  it.for([
    ["goes on", "without"],
    ["goes on", "with"],
    ["starts again", "with"],
  ])(
    "is held again after another one, where the daemon %s in between, %s waves",
    async ([daemon, waves], { expect }) => {
      const settings = waves === "with" ? `${config}\nrollout: ${twoWaves}` : config;
      await using example = await exampleWithEmulator({ config: settings, seed: { zones } });
      await declare(example, 6);
      let running = example.place.start("run");
      const { held } = await logged(running, "revision held");
      if (daemon === "starts again") await stop(running);
      await declare(example, 3);
      if (daemon === "starts again") running = example.place.start("run");
      await eventually("the other one is in force", async () => {
        const { by_status: statuses, desired } = await jsonFrom(running, "api/v1/fleet");
        const isHeld = coerceObject(desired)["held"] !== null;
        return (!isHeld && coerceObject(statuses)["in_sync"] === 6) || undefined;
      });
      await declare(example, 6);
      const judged = await eventually("it is judged again", async () => {
        const desired = coerceObject((await jsonFrom(running, "api/v1/fleet"))["desired"]);
        return desired["revision"] === held || desired["held"] !== null ? desired : undefined;
      });
      expect(judged).toMatchObject({ held: { revision: held } });
      await stop(running);
      const said = logLines(running).map(({ msg }) => msg);
      expect(said).not.toContain("active revision restored from the state");
      expect(writesSeenBy(example.emulator)).toEqual([]);
    },
  );
});
