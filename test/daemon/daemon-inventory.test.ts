import { rename } from "node:fs/promises";
import { join } from "node:path";

import { describe, it } from "vitest";

import { coerceObject, coerceTexts, type JsonObject } from "../../src/syntax/json.ts";
import type { Started, Workplace } from "../support/command-line.ts";
import { type Example, control, exampleWithEmulator } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop, textFrom } from "../support/running.ts";
import { allRun } from "../support/settled-example.ts";
import { weaken } from "../support/waves-of-example.ts";

const shop = "shop.example.com";
const brand = "www.brand.example";
const rarely = 'schedule: { cron: "0 0 1 * *" }';

function writtenTo(daemon: Started, zone: string): Promise<JsonObject> {
  return eventually(`${zone} written`, () =>
    logLines(daemon).find((line) => line["msg"] === "plan applied" && line["zone"] === zone),
  );
}

/** Series of the inventory that the daemon exports. */
async function seriesOf(daemon: Started): Promise<readonly string[]> {
  const text = await textFrom(daemon, "metrics");
  return text.split("\n").filter((line) => line.startsWith("zonewarden_inventory_"));
}

/** Readings of what was detected that the service saw. */
function readingsOf({ emulator }: Example): readonly string[] {
  return emulator
    .journal()
    .map(({ path }) => path)
    .filter((path) => /page_shield\/(scripts|connections|cookies)/.test(path));
}

function has(daemon: Started, series: string): Promise<true> {
  return eventually(series, async () => (await seriesOf(daemon)).includes(series) || undefined);
}

/** The service shows nothing of this kind to the token. */
function hold(list: string): Readonly<Record<string, unknown>> {
  return { fault: "status", status: 403, path: `*/page_shield/${list}*` };
}

/** As a whole, as editors save: the daemon may be reading at this moment. */
async function reconfigure(place: Workplace, text: string): Promise<void> {
  await place.write("next.yaml", text);
  await rename(join(place.directory, "next.yaml"), join(place.directory, "zonewarden.yaml"));
}

describe("the daemon's inventory", () => {
  it("is off by default: no series, and no request of its own", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: rarely });
    const daemon = example.place.start("run");
    await logged(daemon, "plan applied");
    expect(await seriesOf(daemon)).toEqual([]);
    // One policy of the shop begins to block: its guard wants to know what is in use.
    expect(readingsOf(example)).toEqual([expect.stringContaining("/page_shield/scripts")]);
    await stop(daemon);
  });

  it("shows what browsers reported, and logs what is malicious", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: `${rarely}\ninventory: { enabled: true, kinds: [scripts] }`,
    });
    const daemon = example.place.start("run");
    expect(await logged(daemon, "malicious item found")).toMatchObject({
      zone: shop,
      kind: "script",
      url: "https://stats.example.org/m.js",
    });
    await has(
      daemon,
      `zonewarden_inventory_malicious_items{zone="${shop}",kind="script",status="active"} 1`,
    );
    const series = await seriesOf(daemon);
    expect(series).toContain(
      `zonewarden_inventory_items{zone="${shop}",kind="script",status="active"} 4`,
    );
    expect(series.filter((line) => line.includes("cookie"))).toEqual([]);
    expect(readingsOf(example).every((path) => path.includes("/scripts"))).toBe(true);

    // For who decides about a held plan, its impact is read at once.
    const text = await example.place.read("zonewarden.yaml");
    await reconfigure(example.place, `${text}limits: { weakening: refuse }\n`);
    await logged(daemon, "configuration applied");
    await weaken(example);
    await logged(daemon, "plan held", { zone: shop });
    const impact = await eventually("its impact", async () => {
      const { inventory } = await jsonFrom(daemon, `api/v1/zones/${shop}`);
      const { impact: lines } = coerceObject(coerceObject(inventory)["facts"]);
      return coerceTexts(lines).join("\n") || undefined;
    });
    expect(impact).toMatch(/managed_rule\/owasp .*\n +- switches off: 8\n/);
    await stop(daemon);
  });

  it("shows the available kinds, and says which are not", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: `${rarely}\ninventory: { enabled: true, kinds: [scripts, connections] }`,
    });
    await control(example, "faults", hold("connections"));
    const daemon = example.place.start("run");
    expect(await logged(daemon, "inventory kind not permitted")).toMatchObject({
      kind: "connection",
      code: "API_FORBIDDEN",
    });
    await has(daemon, `zonewarden_inventory_items{zone="${shop}",kind="script",status="active"} 4`);
    const series = await seriesOf(daemon);
    expect(series).toContain(`zonewarden_inventory_failing{zone="${shop}"} 0`);
    expect(
      series.filter((line) => line.includes("_items{") && line.includes("connection")),
    ).toEqual([]);
    await stop(daemon);
  });

  it("says that it cannot be read, not that it is empty", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: `${rarely}\ninventory: { enabled: true, kinds: [scripts] }`,
    });
    await control(example, "faults", hold("scripts"));
    const daemon = example.place.start("run");
    expect(await logged(daemon, "inventory read failed")).toMatchObject({ code: "API_FORBIDDEN" });
    const failing = (await seriesOf(daemon)).filter((line) => line.endsWith(" 1"));
    expect(failing).toEqual([expect.stringContaining("zonewarden_inventory_failing{")]);
    expect((await seriesOf(daemon)).join("\n")).not.toContain("_items{");
    await stop(daemon);
  });

  it("logs an internal error of a read with its zone", async ({ expect }) => {
    let isBroken = false;
    const random = (): number => {
      if (isBroken) throw new Error("no entropy");
      return 0.5;
    };
    await using example = await exampleWithEmulator({ config: rarely, ports: { random } });
    const daemon = example.place.start("run");
    await allRun(daemon);
    isBroken = true;
    const text = await example.place.read("zonewarden.yaml");
    await reconfigure(example.place, `${text}inventory: { enabled: true, kinds: [scripts] }\n`);
    const { err } = await logged(daemon, "internal error", { zone: shop });
    expect(err).toMatchObject({ message: "no entropy" });
    await stop(daemon);
  });

  it("stops a read in progress on SIGTERM without a failure", async ({ expect }) => {
    const begun = Promise.withResolvers<void>();
    await using example = await exampleWithEmulator({
      config: `${rarely}\ninventory: { enabled: true }`,
      sleep: (_ms, signal) => {
        begun.resolve();
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      },
    });
    const slow = { fault: "latency", milliseconds: 60_000, path: "*/page_shield/cookies*" };
    await control(example, "faults", slow);
    const daemon = example.place.start("run");
    await Promise.all([begun.promise, writtenTo(daemon, shop), writtenTo(daemon, brand)]);
    expect((await jsonFrom(daemon, `api/v1/zones/${shop}`))["inventory"]).toMatchObject({
      facts: null,
    });
    expect(await stop(daemon)).toBe(0);
    const lines = logLines(daemon);
    expect(lines.at(-1)).toMatchObject({ msg: "zonewarden stopped" });
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
    expect(lines.filter(({ msg }) => msg === "inventory read failed")).toEqual([]);
  });

  it("is switched on and off in the configuration while the program runs", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: rarely });
    const { place } = example;
    const without = await place.read("zonewarden.yaml");
    const daemon = place.start("run");
    await logged(daemon, "plan applied");
    await reconfigure(place, `${without}\ninventory: { enabled: true }\n`);
    daemon.signal("SIGHUP");
    await has(
      daemon,
      `zonewarden_inventory_malicious_items{zone="${shop}",kind="script",status="active"} 1`,
    );
    await reconfigure(place, without);
    daemon.signal("SIGHUP");
    await eventually("no series", async () => (await seriesOf(daemon)).length === 0 || undefined);
    expect(logLines(daemon).filter(({ level }) => level === "error")).toEqual([]);
    await stop(daemon);
  });
});
