import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop, textFrom } from "../support/running.ts";
import { seriesIn } from "../support/scrapes.ts";
import { untilMeasured } from "../support/settled-example.ts";
import { applied, weaken } from "../support/waves-of-example.ts";

const shop = "shop.example.com";
const config = `schedule: { cron: "0 0 1 * *" }
store: { path: state }
measurements: {}`;
const rollout = `rollout:
  waves: [{ zones: [${shop}] }, { share: 100% }]
  soak: 2h
  gate: { blocked_per_10k_requests: 300, requests_at_least: 100 }
`;

async function gateOf(daemon: Started): Promise<JsonObject> {
  const { desired } = await jsonFrom(daemon, "api/v1/fleet");
  return coerceObject(coerceObject(coerceObject(desired)["rollout"])["gate"]);
}

/** What visitors do of which rules are counted, in shares of the requests. */
async function traffic(example: Example, share: number): Promise<void> {
  await control(example, "traffic", { zone: shop, shares: { "OWASP core rules": share } });
}

describe("a daemon whose waves have a gate", () => {
  it("lets the next one begin when what is measured keeps it, and says what does not", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await using example = await exampleWithEmulator({ config, ports: { clock } });
    const { place } = example;
    const until = (what: string, isSo: () => boolean | Promise<boolean>): Promise<true> =>
      eventually(what, async () => {
        await clock.jump(25_000);
        return (await isSo()) || undefined;
      });
    const before = place.start("run");
    await until("all zones are as declared", () => applied(before).length === 2);
    await stop(before);
    await place.write("zonewarden.yaml", `${await place.read("zonewarden.yaml")}${rollout}`);

    const daemon = place.start("run");
    await untilMeasured(daemon, clock);
    await traffic(example, 0.2);
    await weaken(example);
    await until("the first wave is applied", () => applied(daemon).length === 1);

    /** Lets an hour pass, here and at the service. */
    const hour = async (): Promise<void> => {
      for (let steps = 0; steps < 6; steps += 1) await clock.jump(600_000);
    };
    for (let hours = 0; hours < 4; hours += 1) await hour();
    await until("the gate is shut", async () => (await gateOf(daemon))["over"] === 1);
    expect(applied(daemon)).toEqual([shop]);
    const [zone] = coerceObjects((await gateOf(daemon))["zones"]);
    expect(zone).toMatchObject({ zone: shop, state: "over" });
    expect(coerceText(zone?.["why"])).toMatch(
      /^\d+(\.\d+)? requests blocked or challenged by managed_rule\/owasp in 10,000 requests, the limit is 300$/,
    );
    const series = seriesIn(await textFrom(daemon, "metrics"));
    expect(series.get('zonewarden_rollout_zones{wave="1",state="gate_over"}')).toBe(1);
    expect(await textFrom(daemon, "")).toContain("The gate is not kept: ");

    await traffic(example, 0.001);
    for (let hours = 0; hours < 3; hours += 1) await hour();
    await until("the second wave is applied", () => applied(daemon).length === 3);
    await stop(daemon);
    // Where the numbers of an hour are late, the gate waits for them in between and is shut a second time.
    const told = logLines(daemon).filter(({ msg }) => msg === "gate of a wave is shut");
    expect(told[0]).toMatchObject({ level: "error", wave: 1, zones: 1 });
    expect(new Set(told.map(({ wave }) => wave))).toEqual(new Set([1]));
    expect((await place.run("history")).stdout).toContain("the gate of wave 1 is shut: ");
  });
});
