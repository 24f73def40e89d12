import { describe, it } from "vitest";

import { coerceObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type Example, control, exampleWithEmulator } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop, textFrom } from "../support/running.ts";

const blog = "blog.example.com";
const config = `schedule: { cron: "0 0 1 * *" }
audit: { enabled: true, every: 60s }`;

/** Reads of a zone's settings, and of audit logs, that the service saw. */
function readsOf({ emulator }: Example, path: RegExp): number {
  return emulator.journal().filter((each) => each.method === "GET" && path.test(each.path)).length;
}

describe("a daemon that follows the audit log", () => {
  it("corrects an edit by hand at the next poll, and is not woken by its own write", async ({
    expect,
  }) => {
    const clock = new SimulatedClock(new Date());
    await using example = await exampleWithEmulator({ config, ports: { clock } });
    const daemon = example.place.start("run");
    await logged(daemon, "audit log followed");
    await eventually("the first sweep", async () => {
      await clock.advance(100);
      return logLines(daemon).some(({ msg }) => msg === "plan applied") || undefined;
    });
    await clock.advance(60_000);
    await control(example, "edit", {
      zone: blog,
      settings: { enabled: false },
      actor: "alice@example.com",
    });
    const before = readsOf(example, /logs\/audit/);
    await clock.advance(60_000);
    const applied = await eventually("the correction", async () => {
      await clock.advance(10);
      return logLines(daemon).find(({ msg, zone }) => msg === "plan applied" && zone === blog);
    });
    expect(applied).toMatchObject({ trigger: "audit" });
    expect(readsOf(example, /logs\/audit/)).toBe(before + 1);

    const runs = readsOf(example, /page_shield$/);
    for (let minute = 0; minute < 3; minute += 1) {
      await clock.advance(60_000);
      await eventually("the next read of the log", () =>
        readsOf(example, /logs\/audit/) > before + 1 + minute ? true : undefined,
      );
    }
    expect(readsOf(example, /page_shield$/)).toBe(runs);
    await stop(daemon);
  });

  it("works without the permission, and shows that", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    await control(example, "faults", { fault: "denied", path: "*/logs/audit" });
    const daemon = example.place.start("run");
    const line = await logged(
      daemon,
      "audit log not permitted: sweeps go on, changes by hand are found later",
    );
    expect(line).toMatchObject({ accounts: { following: 0, denied: 1, lagging: 0 } });
    await logged(daemon, "plan applied");
    const audit = coerceObject((await jsonFrom(daemon, "api/v1/fleet"))["audit"]);
    expect(audit["state"]).toBe("denied");
    expect(audit["reason"]).toContain("Account Settings: Read");
    expect(await textFrom(daemon, "")).toContain("1 account denied");
    await stop(daemon);
  });
});
