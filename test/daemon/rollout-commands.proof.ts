import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText, parseJson } from "../../src/syntax/json.ts";
import type { Started } from "../support/command-line.ts";
import { type Example, exampleWithEmulator } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { eventually, freePort } from "../support/processes.ts";
import { rolloutOf } from "../support/rollout-command.ts";
import { jsonFrom, stop } from "../support/running.ts";
import { applying, started } from "../support/settled-example.ts";
import { applied, weaken } from "../support/waves-of-example.ts";

const [blog, shop, brand] = ["blog.example.com", "shop.example.com", "www.brand.example"] as const;

const token = "a-token-of-a-rollout";

const rollout = `rollout: { waves: [{ zones: [${shop}] }, { zones: [${brand}] }, { share: 100% }], soak: 24h, token_file: token }`;

/** A fleet that is as declared; from its next process on, changes go out in waves. */
async function inWaves(): Promise<Example> {
  const port = await freePort();
  const example = await exampleWithEmulator({
    config: 'schedule: { cron: "0 * * * *" }\nstore: { path: state }',
  });
  const { place } = example;
  await stop(await applying(example));
  const text = await place.read("zonewarden.yaml");
  await place.write("token", `${token}\n`);
  const listen = text.replace('"127.0.0.1:0"', `"127.0.0.1:${port}"`);
  await place.write("zonewarden.yaml", `${listen}${rollout}\n`);
  return example;
}

async function statusOf(example: Example): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await rolloutOf(example, "status", "--format", "json");
  return coerceObject(coerceObject(parseJson(stdout))["rollout"]);
}

/** The first zone is changed, and the others are known to wait. */
async function firstWaveApplied(example: Example): Promise<Started> {
  const daemon = await started(example);
  await weaken(example);
  await eventually("the first wave is applied", async () => {
    const waves = coerceObjects((await statusOf(example))["by_wave"]);
    return JSON.stringify(waves[0]?.["applied"]) === JSON.stringify([shop]) || undefined;
  });
  await eventually("the others are planned", async () => {
    const holds = [blog, brand].map(async (zone) => jsonFrom(daemon, `api/v1/zones/${zone}`));
    const all = await Promise.all(holds);
    return all.every(({ pending }) => coerceObject(pending)["update"] !== 0) || undefined;
  });
  return daemon;
}

describe("a person who commands a rollout", () => {
  it("sees it, pauses it over a restart, and promotes zones meanwhile", async ({ expect }) => {
    await using example = await inWaves();
    let daemon = await firstWaveApplied(example);
    const { stdout } = await rolloutOf(example, "status");
    expect(await rolloutOf(example, "status", shop)).toMatchObject({ stderr: "" });
    expect(stdout).toMatch(/running|wave 1 of 3 has begun, and the next one begins at 20/);
    expect(stdout).toMatch(new RegExp(`\n1 +applied +1 +${shop}\n`));

    expect(await rolloutOf(example, "pause")).toMatchObject({
      code: 0,
      stdout: "paused: no further wave begins until zonewarden rollout resume\n",
    });
    expect(await logged(daemon, "rollout commanded")).toMatchObject({
      level: "info",
      audit: true,
      command: "pause",
      result: "done",
      by: "mia",
      from: "127.0.0.1",
    });
    expect((await rolloutOf(example, "pause")).code).toBe(0);
    const again = await logged(daemon, "rollout commanded", { result: "as_before" });
    expect(again).toMatchObject({ level: "info", command: "pause" });
    await stop(daemon);

    daemon = await started(example);
    expect(await statusOf(example)).toMatchObject({ state: "paused", next_at: null });
    expect((await rolloutOf(example, "promote", blog)).stdout).toBe(`promoted 1 zone: ${blog}\n`);
    await eventually("it is written", () => applied(daemon).length === 1 || undefined);
    expect(applied(daemon)).toEqual([blog]);
    expect((await rolloutOf(example, "resume")).stdout).toBe("resumed\n");
    expect(await statusOf(example)).toMatchObject({ state: "running" });
    await stop(daemon);
  });

  it("aborts it: what it changed goes back", async ({ expect }) => {
    await using example = await inWaves();
    const daemon = await firstWaveApplied(example);
    const revision = coerceText((await jsonFrom(daemon, "api/v1/rollout"))["revision"]);
    const other = await rolloutOf(example, "abort", "sha256-000000000000");
    expect(other.code).toBe(1);
    expect(other.stderr).toContain(`another revision is active: name that, or none: ${revision}`);
    const aborted = await rolloutOf(example, "abort", revision);
    expect(aborted.stdout).toContain(
      `aborted: 1 zone goes back to what was in force before: ${shop}\n`,
    );
    await eventually("it is set back", () => applied(daemon).length === 2 || undefined);
    expect(applied(daemon)).toEqual([shop, shop]);
    const again = await rolloutOf(example, "promote");
    expect(again.stderr).toContain("the rollout is aborted: change the files");
    await stop(daemon);
    const history = await example.place.run("history");
    expect(history.stdout).toContain("rollout aborted in 1 zone by mia (127.0.0.1)");
  });

  it("is told what to do where that is refused", async ({ expect }) => {
    await using example = await inWaves();
    const daemon = await started(example);
    expect((await rolloutOf(example, "status")).stdout).toContain("no rollout is under way");
    expect((await rolloutOf(example, "abort")).stderr).toContain("no rollout is under way");
    const unknown = await rolloutOf(example, "promote", "other.example");
    expect(unknown.stderr).toContain("these zones are not declared: other.example");
    expect((await rolloutOf(example, "pause", blog)).stderr).toContain(
      "name no zones for the waves",
    );
    await example.place.write("token", "another");
    // The daemon reads its token each time: both are the same again.
    expect((await rolloutOf(example, "pause")).stderr).toContain("no rollout is under way");
    await example.place.remove("token");
    expect((await rolloutOf(example, "pause")).stderr).toContain("rollout.token_file: its file");
    await stop(daemon);
    await example.place.write("token", token);
    const gone = await rolloutOf(example, "pause");
    expect(gone).toMatchObject({ code: 1 });
    expect(gone.stderr).toContain("is zonewarden run not running here?");
  });
});
