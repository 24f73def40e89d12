import { describe, it } from "vitest";

import type { Started } from "../support/command-line.ts";
import { type Example, exampleWithEmulator } from "../support/example.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { eventually, freePort } from "../support/processes.ts";
import { rolloutOf } from "../support/rollout-command.ts";
import { jsonFrom, pageOf, stop } from "../support/running.ts";
import { allRun } from "../support/settled-example.ts";

const [blog, shop] = ["blog.example.com", "shop.example.com"] as const;
const pay = "policy/pay";

/** A zone with two policies on their way, and no waves. */
async function stepping(): Promise<Example> {
  const example = await exampleWithEmulator({
    config:
      'schedule: { cron: "0 0 1 * *" }\nstore: { path: state }\nrollout: { token_file: token }',
  });
  const { place } = example;
  const port = await freePort();
  await place.edit("zonewarden.yaml", '"127.0.0.1:0"', `"127.0.0.1:${port}"`);
  await place.write("token", "a-token-of-a-rollout\n");
  const items = ["pay", "search"].map(
    (key) => `          - key: ${key}
            description: Scripts of ${key}
            action: allow
            expression: http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/${key}")
            value: script-src 'self'
            promote: { from: log, after: 168h, when: time_only, watch: 24h }
`,
  );
  const text = await place.read("zones/shop.yaml");
  const zones = text.replace("        items:\n", (found) => found + items.join(""));
  await place.write("zones/shop.yaml", zones);
  return example;
}

/** The policies are live at their first step. */
async function start({ place }: Example): Promise<Started> {
  const daemon = place.start("run");
  await allRun(daemon);
  await eventually("it is known where the policies are", async () => {
    const { steps } = await jsonFrom(daemon, "api/v1/rollout");
    return JSON.stringify(steps).split('"step":"').length === 3 || undefined;
  });
  return daemon;
}

describe("a person who commands steps", () => {
  it("pauses them over a restart, promotes one, and takes it back", async ({ expect }) => {
    await using example = await stepping();
    let daemon = await start(example);
    expect((await rolloutOf(example, "status")).stdout).toMatch(
      /no rollout is under way\n\nZONE[^]*shop\.example\.com +policy\/pay +waiting +log → allow/,
    );
    expect(await rolloutOf(example, "pause", shop)).toMatchObject({
      code: 0,
      stdout: `paused: no further step begins until it is resumed: ${shop}\n`,
    });
    expect(await logged(daemon, "rollout commanded")).toMatchObject({ result: "done", by: "mia" });
    await stop(daemon);

    daemon = await start(example);
    expect((await rolloutOf(example, "status", shop)).stdout).toMatch(/paused +by mia \(127\./);
    const ofBlog = await rolloutOf(example, "status", blog);
    expect(ofBlog.stdout).not.toContain(shop);
    expect(ofBlog.stderr).toBe(`in no wave, and with no step on its way: ${blog}\n`);
    const explained = await example.place.run("explain", "zone", shop);
    expect(explained.stdout).toMatch(/policy\/pay: log → allow after 7 days/);
    expect((await rolloutOf(example, "resume", shop)).stdout).toBe(`resumed: ${shop}\n`);
    expect((await rolloutOf(example, "resume", shop)).stdout).toBe("it was not paused\n");

    const promoted = await rolloutOf(example, "promote", shop, "--key", pay);
    expect(promoted.stdout).toBe(`${pay} of ${shop} is promoted from log to allow\n`);
    await logged(daemon, "plan applied", { zone: shop });
    await eventually("it is watched", async () => {
      const { stdout } = await rolloutOf(example, "status");
      return /policy\/pay +watched +allow/.test(stdout) || undefined;
    });
    const other = await rolloutOf(example, "promote", shop, "--key", "policy/search");
    expect(other).toMatchObject({ code: 1 });
    expect(other.stderr).toContain(`wait, or promote it first: ${pay} of ${shop}`);
    const { stdout } = await rolloutOf(example, "abort", shop);
    expect(stdout).toBe(
      `${pay} of ${shop} is set back from allow to log\npolicy/search of ${shop} stays at log\n`,
    );
    await eventually("both are written", () => {
      const written = logLines(daemon).filter(({ msg }) => msg === "plan applied");
      return written.length === 2 || undefined;
    });
    await stop(daemon);
    const { stdout: history } = await example.place.run("history");
    expect(history).toContain(`steps paused in ${shop} by mia (127.0.0.1)`);
    expect(history).toContain(`steps resumed in ${shop} by mia (127.0.0.1)`);
    expect(history).toContain(`steps promoted in ${shop} by mia (127.0.0.1)`);
    expect(history).toContain(`steps aborted in ${shop} by mia (127.0.0.1)`);
    expect(history).toContain(`${pay} is set back from allow to log: by mia (127.0.0.1)`);
  });

  it("is told what to do where that is refused", async ({ expect }) => {
    await using example = await stepping();
    const daemon = await start(example);
    const refused = async (...args: readonly string[]): Promise<string> => {
      const { code, stderr } = await rolloutOf(example, ...args);
      return code === 1 ? stderr : "";
    };
    expect(await refused("pause", blog)).toContain(
      `nothing in these zones has steps: declare promote, or name no zones for the waves: ${blog}`,
    );
    expect(await refused("promote", shop, "--key", "policy/none")).toContain(
      `nothing in them has a next step; see zonewarden rollout status: ${shop}`,
    );
    expect(await refused("promote", "--key", pay)).toContain("--key needs the zones");
    expect(await refused("promote")).toContain("for steps, name zones that have some");
    // Somebody who cannot read the token guesses it.
    const url = new URL("api/v1/rollout/abort", await pageOf(daemon));
    const body = JSON.stringify({ zones: [shop] });
    const headers = { authorization: "Bearer a-token-of-a-rollouT" };
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(401);
    expect((await rolloutOf(example, "status", shop)).stdout).not.toContain("stopped");
    await stop(daemon);
  });
});
