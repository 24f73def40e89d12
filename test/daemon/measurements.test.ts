import { describe, it } from "vitest";

import {
  coerceObject,
  coerceObjects,
  coerceText,
  type JsonObject,
  parseJson,
} from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { control, type Example, exampleWithEmulator, queriesOf } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop, textFrom } from "../support/running.ts";
import { allRun, untilMeasured } from "../support/settled-example.ts";

const shop = "shop.example.com";
const owaspRuleset = "4814384a9e5d4991b9815dcfc25d2f1f";
const config = `schedule: { cron: "0 0 1 * *" }
store: { path: state }`;

/** The exact counts of an hour, as the emulator's control tells them. */
async function truth({ emulator }: Example, hour: string): Promise<Record<string, number>> {
  const url = new URL(`/_emulator/traffic?zone=${shop}&hour=${hour}`, emulator.baseUrl);
  const { requests, rules } = coerceObject(await (await fetch(url)).json());
  const owasp = coerceObjects(rules).filter((each) => each["rulesetId"] === owaspRuleset);
  const count = owasp.reduce((sum, each) => sum + Number(each["count"]), 0);
  return { requests: Number(requests), "managed_rule/owasp": count };
}

/** The counts that the command prints, by object and hour: of the hours that were over at a moment, up to 15 before. */
async function printed(
  { place }: Example,
  over: Date,
): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
  const { stdout } = await place.run("measurements", shop, "--since", "20h", "--format", "json");
  const { requests, objects } = coerceObject(parseJson(stdout));
  const lists = [{ key: "requests", hours: requests ?? [] }, ...coerceObjects(objects)];
  const isCompared = ({ hour }: JsonObject): boolean => {
    const ageMs = over.getTime() - Date.parse(coerceText(hour));
    return ageMs >= 2 * 3_600_000 && ageMs < 17 * 3_600_000;
  };
  return new Map(
    lists.map(({ key, hours }) => [coerceText(key), coerceObjects(hours).filter(isCompared)]),
  );
}

describe("a daemon that measures", () => {
  it("keeps the counts of the service, and a command prints them", async ({ expect }) => {
    const over = new Date();
    const clock = new SimulatedClock(over);
    await using example = await exampleWithEmulator({
      config: `${config}\nmeasurements: { max_age: 72h }`,
      ports: { clock },
    });
    const daemon = example.place.start("run");
    await eventually("the first sweep", async () => {
      await clock.advance(100);
      return logLines(daemon).some(({ msg }) => msg === "plan applied") || undefined;
    });
    expect(queriesOf(example)).toBe(0);
    // A month of one zone is more than a fifth of the queries of five minutes.
    await untilMeasured(daemon, clock);
    // The API has the same as the command, and how the measurements go.
    const { collector, ...api } = await jsonFrom(
      daemon,
      `api/v1/zones/${shop}/measurements?since=20h`,
    );
    const flags = ["--since", "20h", "--format", "json"];
    const { stdout } = await example.place.run("measurements", shop, ...flags);
    expect(api).toEqual(parseJson(stdout));
    expect(collector).toEqual({ state: "collecting", reason: null });
    const page = await textFrom(daemon, `zones/${shop}`);
    expect(page).toMatch(/aria-label="managed_rule\/owasp by hour: \d+ h measured/);
    await stop(daemon);

    const counts = await printed(example, over);
    expect([...counts.keys()]).toContain("managed_rule/owasp");
    let compared = 0;
    for (const [what, hours] of counts) {
      if (what !== "requests" && what !== "managed_rule/owasp") continue;
      for (const found of hours) {
        const count = (await truth(example, coerceText(found["hour"])))[what] ?? 0;
        // Before the first run nobody knows that the rule was there, unless it counted.
        const isUnknown = what !== "requests" && count === 0;
        expect(found).toMatchObject(
          isUnknown ? { state: "undeclared" } : { state: "measured", count },
        );
        compared += count;
      }
    }
    expect(compared).toBeGreaterThan(1_000);

    // The next process reads what is new, and nothing of what is there.
    const before = queriesOf(example);
    const next = example.place.start("run");
    await logged(next, "state loaded");
    await untilMeasured(next, clock);
    await stop(next);
    expect(queriesOf(example) - before).toBeLessThanOrEqual(5);
    expect(await printed(example, over)).toEqual(counts);
  });

  it("goes on without the permission, and says so once", async ({ expect }) => {
    const clock = new SimulatedClock(new Date());
    await using example = await exampleWithEmulator({
      config: `${config}\nmeasurements: {}`,
      ports: { clock },
    });
    await control(example, "faults", { fault: "denied", path: "*/graphql" });
    const daemon = example.place.start("run");
    await allRun(daemon);
    await eventually("the first round", async () => {
      await clock.jump(25_000);
      return (
        logLines(daemon).some(({ msg }) => coerceText(msg).includes("not permitted")) || undefined
      );
    });
    const asked = queriesOf(example);
    // It asks once a day whether it may read now.
    await clock.jump(25 * 3_600_000);
    await eventually("a later round", () => queriesOf(example) > asked || undefined);
    // At the start of a day, its first hour is still open.
    await eventually("its hours", async () => {
      await clock.jump(25_000);
      const page = await textFrom(daemon, `zones/${shop}`);
      return page.includes("refused: the token may not read it") || undefined;
    });
    const { measurements } = await jsonFrom(daemon, "api/v1/fleet");
    expect(coerceObject(measurements)["state"]).toBe("denied");
    expect(coerceObject(measurements)["reason"]).toContain("Analytics: Read");
    await stop(daemon);
    const said = logLines(daemon).filter(({ msg }) => coerceText(msg).startsWith("measurements"));
    expect(said.map(({ msg }) => msg)).toEqual([
      "measurements not permitted: give the token the permission Analytics: Read",
    ]);
    // From before the first round on: whether a later one has ended is open.
    const { stdout } = await example.place.run("measurements", shop, "--since", "48h");
    expect(stdout).toContain("requests unknown");
    expect(stdout).toContain("refused");
  });

  it("asks for nothing where nothing is to be measured", async ({ expect }) => {
    const clock = new SimulatedClock(new Date());
    await using example = await exampleWithEmulator({ config, ports: { clock } });
    const daemon = example.place.start("run");
    await logged(daemon, "zonewarden started");
    await clock.jump(3 * 3_600_000);
    expect(await textFrom(daemon, `zones/${shop}`)).not.toContain("Measurements");
    await stop(daemon);
    expect(queriesOf(example)).toBe(0);
    const { stderr, code } = await example.place.run("measurements", shop);
    expect(code).toBe(1);
    expect(stderr).toContain("set measurements in the configuration");
  });
});
