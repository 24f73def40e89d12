import { cp, readFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { workplace } from "../support/command-line.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { eventually, freePort } from "../support/processes.ts";
import { isEveryZoneRun, stop, textFrom } from "../support/running.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** The configuration of `npm start`, on other ports, and with a log that a test can read. */
async function startedConfig(port: number): Promise<string> {
  const text = await readFile(path.join(root, "config.example/zonewarden.yaml"), "utf8");
  return text
    .replace("127.0.0.1:8787", `127.0.0.1:${port}`)
    .replace("127.0.0.1:9464", "127.0.0.1:0")
    .replace("format: pretty", "format: json");
}

/** A daemon that runs on the example keeps its state beside it. */
function isNoState(source: string): boolean {
  return path.basename(source) !== ".state";
}

/** The edit that the README makes in the dashboard. */
async function readmeEdit(): Promise<string> {
  const text = await readFile(path.join(root, "README.md"), "utf8");
  const [, body = ""] = /\/_emulator\/edit \\\n +--json '([^']+)'/.exec(text) ?? [];
  return body;
}

describe("who follows the README", () => {
  it("edits as a dashboard user, and finds the person in the log and on the page within the interval", async ({
    expect,
  }) => {
    const clock = new SimulatedClock(new Date());
    await using place = await workplace({}, { clock });
    const port = await freePort();
    await cp(path.join(root, "config.example"), place.directory, {
      recursive: true,
      filter: isNoState,
    });
    await place.write("zonewarden.yaml", await startedConfig(port));
    const daemon = place.start("run");
    await logged(daemon, "audit log followed");
    await eventually("the first sweep", async () => {
      await clock.advance(100);
      return (await isEveryZoneRun(daemon)) || undefined;
    });

    await clock.advance(1_000);
    const edit = await readmeEdit();
    const { actor, zone } = coerceObject(JSON.parse(edit));
    const answer = await fetch(`http://127.0.0.1:${port}/_emulator/edit`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: edit,
    });
    expect(answer.status).toBe(200);
    await clock.advance(15_000);
    const line = await eventually("the correction", async () => {
      await clock.advance(1);
      return logLines(daemon).find(
        (each) => each["msg"] === "plan applied" && each["trigger"] === "audit",
      );
    });
    expect(line).toMatchObject({ zone, changed_by: `${coerceText(actor)} in the dashboard` });
    for (const shown of ["", `zones/${coerceText(zone)}`]) {
      expect(await textFrom(daemon, shown)).toContain(`${coerceText(actor)} in the dashboard`);
    }
    expect(await stop(daemon)).toBe(0);
  });
});
