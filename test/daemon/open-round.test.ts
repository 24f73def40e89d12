import { describe, it } from "vitest";

import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";

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

describe("a daemon that starts again in an open first round", () => {
  it("counts the zones that were let pass after the round was opened", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config, seed: { zones } });
    const page_shield = { settings: { enabled: true } };
    const files = { zones: zones.map(({ name }) => ({ name, page_shield })) };
    await example.place.write("fleet/zones.yaml", JSON.stringify(files));
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
