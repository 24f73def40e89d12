import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { control, exampleWithEmulator, queriesOf } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop, textFrom } from "../support/running.ts";
import { seriesIn } from "../support/scrapes.ts";
import { allRun, corrected, started, untilMeasured } from "../support/settled-example.ts";
import { untilWaiting, weaken } from "../support/waves-of-example.ts";

const shop = "shop.example.com";
const config = `schedule: { cron: "0 0 1 * *" }
store: { path: state }`;

describe("what a daemon has measured for hours", () => {
  it("tells once that the share of a rule left its usual range", async ({ expect }) => {
    const clock = new SimulatedClock();
    const start = clock.now();
    await using example = await exampleWithEmulator({
      config: `${config}\nmeasurements: {}`,
      ports: { clock },
    });
    const file = await example.place.read("zones/shop.yaml");
    const promote = "promote: { from: log, after: 7d, when: { requests_at_least: 100 } }";
    await example.place.write(
      "zones/shop.yaml",
      file.replace("action: log\n", `action: allow\n            ${promote}\n`),
    );
    const daemon = example.place.start("run");
    await allRun(daemon);
    const told = (): readonly JsonObject[] =>
      logLines(daemon).filter(({ msg }) => coerceText(msg).startsWith("share of requests"));
    await untilMeasured(daemon, clock);
    expect(told()).toEqual([]);
    // The hours of a step count from the first run after the writes on: that has seen what the policies do.
    daemon.signal("SIGHUP");
    const now = clock.now().toISOString();
    await eventually("a run after the writes", async () => {
      const { zones } = await jsonFrom(daemon, "api/v1/zones");
      return coerceObjects(zones).every((zone) => zone["last_attempt_at"] === now) || undefined;
    });
    await eventually("an hour of the step counts", async () => {
      await clock.jump(300_000);
      const { steps } = await jsonFrom(daemon, `api/v1/zones/${shop}`);
      const [policy] = coerceObjects(coerceObject(steps)["objects"]);
      return Number(policy?.["passed_seconds"]) > 0 || undefined;
    });
    // After later writes, no hour counts until the next run.
    await corrected(example, daemon, shop);
    const hoursBefore = (Number(clock.now()) - Number(start)) / 3_600_000;

    await control(example, "traffic", { zone: shop, shares: { "OWASP core rules": 0.9 } });
    for (let passed = 0; passed < 4; passed += 1) {
      const before = queriesOf(example);
      await eventually("a round", async () => {
        await clock.jump(300_000);
        return queriesOf(example) > before || undefined;
      });
    }
    await eventually("the judgement", async () => {
      await clock.jump(25_000);
      return told().length > 0 || undefined;
    });
    expect(told()).toMatchObject([
      {
        level: "warn",
        zone: shop,
        resource: "managed_rule/owasp",
        msg: "share of requests above its usual range for two hours",
      },
    ]);
    const series = seriesIn(await textFrom(daemon, "metrics"));
    const states = [...series].filter(([name]) =>
      name.startsWith(`zonewarden_measured_resources{zone="${shop}"`),
    );
    expect(states).toEqual([
      [`zonewarden_measured_resources{zone="${shop}",state="usual"}`, 3],
      [`zonewarden_measured_resources{zone="${shop}",state="above"}`, 1],
    ]);
    await stop(daemon);
    const { stdout } = await example.place.run("plan", shop);
    const counted = /log → allow after 7 days \((\d+) of 168 hours measured\)/.exec(stdout)?.[1];
    expect(Number(counted)).toBeGreaterThan(0);
    expect(Number(counted)).toBeLessThan(hoursBefore);
  });

  it("judges the gate of a wave by the hours that the service has counted", async ({ expect }) => {
    const clock = new SimulatedClock();
    const gate = "gate: { blocked_per_10k_requests: 300 }";
    await using example = await exampleWithEmulator({
      config: `${config}\nmeasurements: {}\nrollout: { waves: [{ zones: [${shop}] }, { share: 100% }], soak: 2h, ${gate} }`,
      ports: { clock },
    });
    expect((await example.place.run("apply", "--yes")).code).toBe(0);
    const daemon = await started(example);
    await weaken(example);
    daemon.signal("SIGHUP");
    await untilWaiting(daemon, "blog.example.com");
    const judged = await eventually("the gate is judged", async () => {
      await clock.jump(300_000);
      const { rollout } = await jsonFrom(daemon, "api/v1/rollout");
      const [zone] = coerceObjects(coerceObject(coerceObject(rollout)["gate"])["zones"]);
      return coerceText(zone?.["why"]).includes("measured in") ? zone : undefined;
    });
    expect(judged).toMatchObject({ zone: shop, state: "unknown" });
    expect(await stop(daemon)).toBe(0);
  });
});
