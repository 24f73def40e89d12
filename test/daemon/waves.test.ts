import { describe, it } from "vitest";

import { control, stateOf, writesSeenBy } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";
import { started } from "../support/settled-example.ts";
import {
  applied,
  fleetLinkOf,
  inWaves,
  untilWaiting,
  weaken,
} from "../support/waves-of-example.ts";

const [blog, shop, brand] = ["blog.example.com", "shop.example.com", "www.brand.example"] as const;

describe("a daemon whose changes go out in waves", () => {
  it("goes on where it was, over restarts, and corrects drift in zones that wait", async ({
    expect,
  }) => {
    await using fleet = await inWaves();
    const { example } = fleet;
    let daemon = await started(example);
    await weaken(example);
    await eventually("the first wave is applied", () => applied(daemon).length === 1 || undefined);
    expect(applied(daemon)).toEqual([shop]);
    await untilWaiting(daemon, blog);
    const link = await fleetLinkOf(daemon, brand);
    expect(link).toMatchObject({ answer: "partly" });
    expect(link?.["reason"]).toMatch(
      /^the zone waits for wave 2 of 2: wave 1 is applied, and the next one begins at \S+; what it changes here waits, and drift /,
    );
    await stop(daemon);
    const written = writesSeenBy(example.emulator).length;

    fleet.pass(23 * 3_600_000);
    await control(example, "edit", { zone: blog, settings: { enabled: false } });
    daemon = await started(example);
    await eventually("the drift is corrected", () => applied(daemon).length === 1 || undefined);
    await stop(daemon);
    expect(applied(daemon)).toEqual([blog]);
    expect(writesSeenBy(example.emulator)).toHaveLength(written + 1);

    // Moments are stored in whole minutes.
    fleet.pass(3_600_000 + 60_000);
    daemon = await started(example);
    await eventually("the second wave is applied", () => applied(daemon).length === 2 || undefined);
    expect(await fleetLinkOf(daemon, blog)).toMatchObject({ answer: "passed" });
    await stop(daemon);
    expect(new Set(applied(daemon))).toEqual(new Set([blog, brand]));
    // The files of revisions that are in force nowhere are gone.
    expect([...(await stateOf(example)).keys()].join(" ")).not.toContain("earlier/");
    const began = logLines(daemon).filter(({ msg }) => msg === "wave began");
    expect(new Set(began.map(({ wave }) => wave))).toEqual(new Set([2]));
    const { stdout } = await example.place.run("history");
    const turns = stdout.match(/rollout (began|ended|replaced)|wave \d began/g);
    expect(new Set(turns?.filter((each) => each.startsWith("wave")))).toEqual(
      new Set(["wave 1 began", "wave 2 began"]),
    );
    expect([turns?.[0], turns?.at(-1)]).toEqual(["rollout began", "rollout ended"]);
    expect((await example.place.run("history", shop)).stdout).not.toContain("rollout");
    expect((await example.place.run("history", "verify")).code).toBe(0);
  });
});
