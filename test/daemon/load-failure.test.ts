import { describe, it } from "vitest";

import { nodeFiles } from "../../src/desired/file-system.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";

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
    const config = 'schedule: { cron: "0 0 1 1 *" }';
    await using example = await exampleWithEmulator({ config, ports: { files } });
    const { place, emulator } = example;
    const daemon = place.start("run");
    const { page } = await logged(daemon, "zonewarden started");
    const address = typeof page === "string" ? page : "";
    const ask = async (path: string): Promise<readonly [number, string]> => {
      const response = await fetch(new URL(path, address));
      return [response.status, await response.text()];
    };
    await logged(daemon, "plan applied", { zone: "shop.example.com" });
    expect((await ask("/readyz"))[0]).toBe(200);

    plant(true);
    // A file that did not change is not read again.
    await place.write("zones/more.yaml", "zones: []\n");
    daemon.signal("SIGHUP");
    await logged(daemon, "internal error");
    await eventually("it is not ready", async () =>
      (await ask("/readyz"))[0] === 503 ? true : undefined,
    );
    expect((await ask("/readyz"))[1]).toContain(
      "desired-state failed: the zone files are not followed: zonewarden failed unexpectedly: TypeError",
    );
    expect((await ask("/livez"))[0]).toBe(200);
    const metrics = (await ask("/metrics"))[1];
    expect(metrics).toMatch(/^zonewarden_files_last_reload_successful 0$/m);
    expect(metrics).toMatch(/^zonewarden_files_reloads_total\{result="rejected"\} [1-9]/m);
    expect(JSON.parse((await ask("/api/v1/diagnostics"))[1])).toMatchObject({
      diagnostics: [{ code: "INTERNAL_ERROR" }],
    });
    expect((await ask("/"))[1]).toContain("The zone files are not followed.");

    const writes = writesSeenBy(emulator).length;
    await control(example, "edit", { zone: "shop.example.com", settings: { enabled: false } });
    daemon.signal("SIGHUP");
    await eventually("the drift is corrected", () =>
      writesSeenBy(emulator).length > writes ? true : undefined,
    );

    plant(false);
    daemon.signal("SIGHUP");
    await eventually("it is ready again", async () =>
      (await ask("/readyz"))[0] === 200 ? true : undefined,
    );
    daemon.signal("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
  });
});
