import { rename } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import {
  coerceObject,
  coerceObjects,
  coerceText,
  type JsonObject,
  parseJson,
} from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type Example, exampleWithEmulator } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { isEveryZoneRun, stop } from "../support/running.ts";
import { untilMeasured } from "../support/settled-example.ts";

const shop = "shop.example.com";
const owaspRuleset = "4814384a9e5d4991b9815dcfc25d2f1f";

/** An example that a daemon applied and measured for 30 hours; it has ended and left its store. */
async function measuredExample(): Promise<Example> {
  const clock = new SimulatedClock();
  const example = await exampleWithEmulator({
    config: `schedule: { cron: "0 0 1 * *" }\nstore: { path: state }\nmeasurements: { max_age: 72h }`,
    ports: { clock },
  });
  const first = example.place.start("run");
  await eventually("the first sweep", async () => {
    await clock.advance(100);
    return (
      logLines(first).some(({ msg, zone }) => msg === "plan applied" && zone === shop) || undefined
    );
  });
  await stop(first);
  // What an apply leaves is known from the next run on.
  const daemon = example.place.start("run");
  await eventually("a run of each zone", async () => {
    await clock.advance(100);
    return (await isEveryZoneRun(daemon)) || undefined;
  });
  await clock.jump(30 * 3_600_000);
  await untilMeasured(daemon, clock, 10_000);
  await stop(daemon);
  return example;
}

function countOf(list: unknown, name: string, value: string): number {
  const own = coerceObjects(list).filter((each) => each[name] === value);
  return own.reduce((sum, { count }) => sum + Number(count), 0);
}

/** The hours in which a resource was measured, as the command prints them. */
async function measuredHours({ place }: Example, key: string): Promise<readonly string[]> {
  const { stdout } = await place.run("measurements", shop, "--format", "json");
  const found = coerceObjects(coerceObject(parseJson(stdout))["objects"]).find(
    (each) => each["key"] === key,
  );
  return coerceObjects(found?.["hours"])
    .filter(({ state }) => state === "measured")
    .map(({ hour }) => coerceText(hour));
}

/** What the emulator counted in some hours: of a policy, and of the OWASP ruleset. */
async function truth(
  { emulator }: Example,
  hours: readonly string[],
  policyId: string,
): Promise<Readonly<Record<"requests" | "policy" | "owasp", number>>> {
  const sums = { requests: 0, policy: 0, owasp: 0 };
  for (const hour of hours) {
    const url = new URL(`/_emulator/traffic?zone=${shop}&hour=${hour}`, emulator.baseUrl);
    const { requests, rules, policies } = coerceObject(await (await fetch(url)).json());
    sums.requests += Number(requests);
    sums.policy += countOf(policies, "id", policyId);
    sums.owasp += countOf(rules, "rulesetId", owaspRuleset);
  }
  return sums;
}

function changesIn(stdout: string): ReadonlyMap<string, JsonObject> {
  const [zone] = coerceObjects(coerceObject(parseJson(stdout))["zones"]);
  const changes = coerceObjects(coerceObject(zone?.["plan"])["changes"]);
  return new Map(changes.map((each) => [coerceText(each["key"]), each]));
}

describe("plan", () => {
  it("says what was counted of what its changes do to requests", async ({ expect }) => {
    await using example = await measuredExample();
    const { place } = example;
    const file = await place.read("zones/shop.yaml");
    const enforced = file.replace("action: log", "action: allow");
    await place.write("zones/shop.yaml", enforced.replace("action: block", "action: log"));
    const { stdout, code } = await place.run("plan", shop, "--format", "json");
    expect(code).toBe(4);
    const changes = changesIn(stdout);
    const measured = new Map(
      [...changes].map(([key, each]) => [key, coerceObject(each["measured_effect"])]),
    );
    const hours = Number(measured.get("policy/everywhere")?.["hours"]);
    const id = coerceText(changes.get("policy/everywhere")?.["id"]);
    // The daemon began after noon, and the last whole hour is not counted yet.
    expect(hours).toBe(28);
    // Of the hours before the daemon, nobody knows how the policy was.
    const list = (await measuredHours(example, "policy/everywhere")).slice(-hours);
    const { requests, policy, owasp } = await truth(example, list, id);
    expect(policy).toBeGreaterThan(8);
    const both = { state: "measured", requests, hours, of_hours: 168, is_estimate: false };
    expect(measured).toEqual(
      new Map([
        [
          "policy/everywhere",
          { ...both, before: "log", after: "block", extent: "all", count: policy },
        ],
        [
          "managed_rule/owasp",
          { ...both, before: "block", after: "pass", extent: "all", count: owasp },
        ],
      ]),
    );

    const known = `would now block: this policy reported ${policy} violations at ${requests.toLocaleString("en")} requests in ${hours} of 168 hours`;
    const text = await place.run("plan", shop);
    expect(text.stdout.replaceAll(/\s+/g, " ")).toContain(known);
    const markdown = await place.run("plan", shop, "--format", "markdown");
    expect(markdown.stdout).toContain(known);
    const saved = await place.run("plan", shop, "--out", "plan.json");
    expect(saved.code).toBe(4);

    // A store that cannot be read changes nothing else in the plan.
    await rename(
      path.join(place.directory, "state/measurements"),
      path.join(place.directory, "state/moved"),
    );
    await place.write("state/measurements", "no directory");
    const unread = await place.run("plan", shop);
    const unreadText = unread.stdout.replaceAll(/\s+/g, " ");
    expect(unreadText).toContain("not measured: the measurements could not be read: ENOTDIR");
    expect(unread.code).toBe(code);

    await place.edit("zonewarden.yaml", /measurements:.*\n/, "");
    const silent = await place.run("plan", shop);
    expect(silent.stdout).not.toContain("measured");
    expect(silent.code).toBe(code);
  });
});
