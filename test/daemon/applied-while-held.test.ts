import { describe, it } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
import { coerceObjects, type JsonObject } from "../../src/syntax/json.ts";
import type { Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop } from "../support/running.ts";

const [blog, shop] = ["blog.example.com", "shop.example.com"] as const;

const config = `schedule: { cron: "0 0 1 * *" }
store: { path: state }
limits: { min_fleet: 2, max_fleet_share: 0.4 }`;

/** A daemon that holds a revision of all three zones: they get another threshold, and the first one a policy. */
class Held implements AsyncDisposable {
  readonly example: Example;
  #daemon: Started;

  private constructor(example: Example, daemon: Started) {
    this.example = example;
    this.#daemon = daemon;
  }

  static async start(
    edit = (at: Held) => at.edit("threshold: medium", "threshold: high"),
  ): Promise<Held> {
    const released = config.replace("0.4", "1");
    const example = await exampleWithEmulator({ config: released });
    const held = new Held(example, example.place.start("run"));
    await held.#inSync();
    await example.place.edit("zonewarden.yaml", released, config);
    await logged(held.#daemon, "configuration applied");
    await edit(held);
    await logged(held.#daemon, "revision held");
    await eventually("the hold is stored", async () =>
      (await example.place.read("state/state.jsonl")).includes("limits.accept") ? true : undefined,
    );
    return held;
  }

  edit(from: string, to: string): Promise<void> {
    return this.example.place.edit("zones/baseline.yaml", from, to);
  }

  async #inSync(): Promise<void> {
    await eventually("all zones are as declared", async () => {
      const zones = coerceObjects((await jsonFrom(this.#daemon, "api/v1/zones"))["zones"]);
      return zones.length === 3 && zones.every(({ status }) => status === "in_sync")
        ? true
        : undefined;
    });
  }

  zone(name: string): Promise<JsonObject> {
    return jsonFrom(this.#daemon, `api/v1/zones/${name}`);
  }

  /** Lets the daemon read all zones, until it has said so of one. */
  async sweep(zone: string, msg: string, facts: JsonObject = {}): Promise<JsonObject> {
    this.#daemon.signal("SIGHUP");
    return await logged(this.#daemon, msg, { zone, ...facts });
  }

  says(zone: string, msg: string, facts: JsonObject): Promise<JsonObject> {
    return logged(this.#daemon, msg, { zone, ...facts });
  }

  told(msg: string): readonly JsonObject[] {
    return logLines(this.#daemon).filter((line) => line["msg"] === msg);
  }

  async restart(): Promise<void> {
    await this.#stop();
    this.#daemon = this.example.place.start("run");
    await logged(this.#daemon, "revision held");
  }

  async #stop(): Promise<void> {
    await stop(this.#daemon);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await this.example[Symbol.asyncDispose]();
  }
}

describe("a plan while the daemon holds the revision of the files", () => {
  it("tells of zones that it drops, not of the one that it leaves alone, and of other files where they differ", async ({
    expect,
  }) => {
    const sites = "zones/sites.yaml";
    await using at = await Held.start(async ({ example: { place } }) => {
      for (const file of ["baseline", "shop", "sites"]) {
        await place.write(`laptop/${file}.yaml`, await place.read(`zones/${file}.yaml`));
      }
      await place.write(sites, "zones: []\n");
    });
    const { place } = at.example;
    const plan = async (...args: readonly string[]) =>
      await place.run("plan", "--no-audit", ...args);
    const whole = await plan();
    expect(whole.code).toBe(exitCodes.held);
    expect(whole.stdout).toMatch(
      /blog\.example\.com, www\.brand\.example\n {2}no longer declared\n/,
    );
    expect(whole.stdout).toMatch(
      /Held by the daemon, fleet_change: revision \S+ changes 0 and drops 2 of 3 zones .* add sha256-[0-9a-f]{64} to limits\.accept/,
    );
    const named = await plan(shop);
    expect([named.code, named.stdout]).toEqual([0, expect.not.stringContaining("Held by")]);
    await control(at.example, "edit", { zone: shop, settings: { enabled: false } });
    const applied = await place.run("apply", "--no-audit", "--yes", shop);
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining("Applied to 1")]);
    expect(applied.stderr).not.toContain("the daemon holds");

    const file = await place.read("zonewarden.yaml");
    await place.write("laptop.yaml", `${file}desired: { path: laptop }\n`);
    const reverted = await plan("-c", "laptop.yaml", blog);
    expect([reverted.code, reverted.stdout]).toEqual([0, expect.not.stringContaining("Held by")]);
    expect(reverted.stderr).toMatch(
      /^these files are not those that the daemon holds\. .* drops 2 /m,
    );

    await place.write(sites, await place.read("laptop/sites.yaml"));
    await eventually(
      "nothing is held any more",
      async () => (await plan()).code === 0 || undefined,
    );
  });
});

describe("a zone that the command line applied while its revision is held", () => {
  it.for(["goes on", "is restarted"])(
    "is not set back, is told of, and goes back as pending with the files; the daemon %s",
    async (daemon, { expect }) => {
      await using at = await Held.start();
      const { place } = at.example;
      await place.run("plan", blog, "--out", "plan.json");
      const by = daemon === "goes on" ? [blog, "--yes"] : ["--plan", "plan.json"];
      const applied = await place.run("apply", ...by);
      expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining(blog)]);
      expect(applied.stderr).toMatch(
        /^the daemon holds this revision, .* if more than 3 stay weaker: add sha256-[0-9a-f]{64} to limits\.accept\n$/m,
      );
      const planned = await place.run("plan", blog);
      expect(planned.stdout).toMatch(/No changes\.[^]*Held by the daemon, fleet_change: revision /);
      expect(planned.code).toBe(exitCodes.held);
      const written = writesSeenBy(at.example.emulator).length;
      if (daemon === "is restarted") await at.restart();
      const line = await at.sweep(blog, "plan held");
      expect(line).toMatchObject({ level: "warn", cause: "pending" });
      expect(JSON.stringify(line["holds"])).toContain("is live here already");
      expect(line).not.toHaveProperty("drift");
      const zone = await at.zone(blog);
      expect(zone).toMatchObject({ status: "held", drifted_since: null });
      expect(JSON.stringify(zone)).toContain("the zone is not set back");
      if (daemon === "is restarted") await at.restart();

      // What both revisions declare alike is corrected as ever.
      await control(at.example, "edit", { zone: blog, settings: { enabled: false } });
      await control(at.example, "edit", { zone: shop, settings: { enabled: false } });
      const found = { cause: "drift", result: "applied", changes: 1 };
      await Promise.all([
        at.sweep(blog, "plan applied", found),
        at.says(shop, "plan applied", found),
      ]);
      expect(writesSeenBy(at.example.emulator)).toHaveLength(written + 2);

      await at.edit("score_threshold: high", "score_threshold: medium");
      await at.says(blog, "plan applied", { cause: "pending", changes: 1 });
      expect(await at.zone(blog)).toMatchObject({ status: "in_sync" });
      expect(writesSeenBy(at.example.emulator)).toHaveLength(written + 3);
    },
  );
});
