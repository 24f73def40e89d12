import { describe, it } from "vitest";

import { nodeFiles } from "../../src/desired/file-system.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { ask, stop, textFrom } from "../support/running.ts";

/** The machine's files, until a bug of this program is planted: what is read of a zone file is then no list of bytes. */
function filesWithBug() {
  let isBroken = false;
  const read: typeof nodeFiles.read = (file, ...rest) =>
    isBroken && file.includes("/zones/")
      ? Promise.resolve(Reflect.get(nodeFiles, "nothing"))
      : nodeFiles.read(file, ...rest);
  return {
    files: { ...nodeFiles, read },
    plant: (broken: boolean) => {
      isBroken = broken;
    },
  };
}

describe("a load of the files that fails by a bug of zonewarden", () => {
  it("is told everywhere, drift is still corrected, and the next load counts again", async ({
    expect,
  }) => {
    const { files, plant } = filesWithBug();
    const config = 'schedule: { cron: "0 0 1 * *" }';
    await using example = await exampleWithEmulator({ config, ports: { files } });
    const { place, emulator } = example;
    const daemon = place.start("run");
    await logged(daemon, "plan applied", { zone: "shop.example.com" });
    expect((await ask(daemon, "/readyz")).status).toBe(200);

    plant(true);
    // A file that did not change is not read again.
    await place.write("zones/more.yaml", "zones: []\n");
    daemon.signal("SIGHUP");
    await logged(daemon, "internal error", { zone: "" });
    await eventually("it is not ready", async () =>
      (await ask(daemon, "/readyz")).status === 503 ? true : undefined,
    );
    expect(await textFrom(daemon, "/readyz")).toContain(
      "desired-state failed: the zone files are not followed: zonewarden failed unexpectedly: TypeError",
    );
    expect((await ask(daemon, "/livez")).status).toBe(200);
    const metrics = await textFrom(daemon, "/metrics");
    expect(metrics).toMatch(/^zonewarden_files_last_reload_successful 0$/m);
    expect(metrics).toMatch(/^zonewarden_files_reloads_total\{result="rejected"\} [1-9]/m);
    expect(JSON.parse(await textFrom(daemon, "/api/v1/diagnostics"))).toMatchObject({
      diagnostics: [{ code: "INTERNAL_ERROR" }],
    });
    expect(await textFrom(daemon, "/")).toContain("The zone files are not followed.");

    const writes = writesSeenBy(emulator).length;
    await control(example, "edit", { zone: "shop.example.com", settings: { enabled: false } });
    daemon.signal("SIGHUP");
    await eventually("the drift is corrected", () =>
      writesSeenBy(emulator).length > writes ? true : undefined,
    );

    plant(false);
    daemon.signal("SIGHUP");
    await eventually("it is ready again", async () =>
      (await ask(daemon, "/readyz")).status === 200 ? true : undefined,
    );
    expect(await stop(daemon)).toBe(0);
  });
});
