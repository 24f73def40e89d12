import { describe, it } from "vitest";

import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { freePort } from "../support/processes.ts";

const zone = "shop.example.com";

describe("explain zone", () => {
  it("prints the answer of the running daemon, and of the files if none runs", async ({
    expect,
  }) => {
    const port = await freePort();
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    const text = await place.read("zonewarden.yaml");
    const config = text.replace(/listen: "127.0.0.1:0"/, `listen: "127.0.0.1:${port}"`);
    await place.write("zonewarden.yaml", `${config}limits: { max_update_share: 0.01 }\n`);

    const alone = await place.run("explain", "zone", zone);
    expect(alone.code, alone.stderr).toBe(0);
    expect(alone.stdout).toContain("not written: blocked by guards");
    expect(alone.stdout).toMatch(/> ✗ guards {6}would update 2 of \d+ managed/);
    expect(alone.stdout).toContain("? lease       only the running daemon knows");
    expect(alone.stdout).toContain(`http://127.0.0.1:${port}/api/v1/zones/${zone}/write`);

    const daemon = place.start("run");
    await logged(daemon, "plan held");
    const asked = await place.run("explain", "zone", zone, "--format", "json");
    expect(asked.code, asked.stderr).toBe(0);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      zone,
      changes: 2,
      blocked_by: "guards",
      links: [
        { link: "mode", answer: "passed" },
        { link: "suspension", answer: "passed" },
        { link: "window", answer: "passed" },
        { link: "guards", answer: "blocked" },
        { link: "fleet", answer: "passed" },
        { link: "lease", answer: "passed" },
        { link: "read", answer: "passed" },
        { link: "budget", answer: "passed" },
      ],
    });
    const page = await (await fetch(`http://127.0.0.1:${port}/zones/${zone}`)).text();
    expect(page).toContain("not written: blocked by guards");
    daemon.signal("SIGTERM");
    await daemon.ended;
    expect(writesSeenBy(emulator).filter((each) => each.includes(zone))).toEqual([]);
  });

  it("says why a zone cannot be read, and that a name is not declared", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await control(example, "faults", { fault: "status", status: 403, path: "*/page_shield*" });
    const failed = await example.place.run("explain", "zone", zone);
    expect(failed.code, failed.stderr).toBe(0);
    expect(failed.stdout).toContain("> ✗ read");
    const unknown = await example.place.run("explain", "zone", "other.example");
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain("other.example");
  });
});
