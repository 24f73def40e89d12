import { describe, it } from "vitest";

import { coerceObject, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { rayId } from "../../src/zone/audit-entry.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type Started, type Workplace, workplace } from "../support/command-line.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { startJsonSink } from "../support/http-server.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";

const [blog, shop, brand] = ["blog.example.com", "shop.example.com", "www.brand.example"] as const;

/** One installation: a directory of its own, with a daemon. */
class Installation {
  readonly place: Workplace;
  readonly #clock: SimulatedClock;
  #daemon: Started | undefined;

  constructor(place: Workplace, clock: SimulatedClock) {
    this.place = place;
    this.#clock = clock;
  }

  /** Starts, and waits until the zones and the log were read. */
  async start(...zones: readonly string[]): Promise<void> {
    const daemon = this.place.start("run");
    this.#daemon = daemon;
    await logged(daemon, "audit log followed");
    for (const zone of zones) await this.says("plan applied", { zone });
  }

  async says(msg: string, facts: JsonObject): Promise<JsonObject> {
    return eventually(`${msg} ${JSON.stringify(facts)}`, async () => {
      await this.#clock.advance(10);
      return this.told(msg).find((line) =>
        Object.entries(facts).every(([key, fact]) => line[key] === fact),
      );
    });
  }

  told(msg: string): readonly JsonObject[] {
    return this.#daemon === undefined
      ? []
      : logLines(this.#daemon).filter((line) => line["msg"] === msg);
  }

  /** Ids of the requests that this installation wrote with. */
  get written(): readonly string[] {
    return this.told("write done").map(({ ray }) => rayId(coerceText(ray)));
  }

  /** Ids of the uses of its token elsewhere. */
  get elsewhere(): readonly string[] {
    return this.told("token used elsewhere").map(({ ray }) => rayId(coerceText(ray)));
  }

  async entries(): Promise<unknown> {
    const page = coerceText(this.told("zonewarden started")[0]?.["page"]);
    const fleet = coerceObject(await (await fetch(new URL("api/v1/fleet", page))).json());
    return coerceObject(fleet["audit"])["entries"];
  }

  async stop(): Promise<void> {
    this.#daemon?.signal("SIGTERM");
    await this.#daemon?.ended;
  }
}

async function pass(clock: SimulatedClock, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await clock.advance(60_000);
  }
}

describe("two installations with one token and zones of their own", () => {
  it("take each other's writes for uses of the token elsewhere, as a notice, and undo none", async ({
    expect,
  }) => {
    await using sink = await startJsonSink();
    const clock = new SimulatedClock(new Date());
    const config = `schedule: { cron: "0 0 1 * *" }
audit: { enabled: true, every: 60s }
store: { path: state }
notifications: [{ name: chat, type: webhook, url: "${sink.url}" }]`;
    await using example = await exampleWithEmulator({ config, ports: { clock } });
    const { place } = example;
    const env = { ZONEWARDEN_API_TOKEN: "emulator-token" };
    await using other = await workplace(env, { clock });
    for (const file of ["zonewarden.yaml", "zones/baseline.yaml", "zones/shop.yaml"]) {
      await other.write(file, await place.read(file));
    }
    await place.remove("zones/shop.yaml");
    const [first, second] = [new Installation(place, clock), new Installation(other, clock)];
    try {
      await first.start(brand);
      await pass(clock, 2);
      await second.start(shop);
      await pass(clock, 2);
      await first.says("token used elsewhere", { zone: "" });
      await control(example, "edit", { zone: blog, settings: { enabled: false } });
      await pass(clock, 1);
      await first.says("plan applied", { zone: blog, cause: "drift" });
      const byFirst = first.written.slice(-1);
      await pass(clock, 3);
      await second.says("token used elsewhere", { zone: "" });

      expect(first.elsewhere).toEqual(second.written);
      expect(second.elsewhere).toEqual(byFirst);
      expect([second.written.length, byFirst.length]).toEqual([2, 1]);
      expect(await first.entries()).toMatchObject({ elsewhere: 2, elsewhere_drift: 0 });
      expect(await second.entries()).toMatchObject({ elsewhere: 1, elsewhere_drift: 0 });
      const uses = await eventually("a notification of each", async () => {
        await clock.advance(10);
        const told = sink.objects.filter(({ reason }) => reason === "TokenUsedElsewhere");
        return told.length >= 2 ? told : undefined;
      });
      expect(new Set(uses.map(({ severity }) => severity))).toEqual(new Set(["info"]));
      const written = writesSeenBy(example.emulator);
      expect(written).toHaveLength(first.written.length + second.written.length);
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
});
