import { describe, it } from "vitest";

import { coerceObject, coerceObjects, type JsonObject } from "../../src/syntax/json.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { isEveryZoneRun, jsonFrom, stop, textFrom } from "../support/running.ts";

const shop = "shop.example.com";
const checkout = "policy/checkout";
const promote = `            promote:
              from: log
              after: 30m
              force: true
              when: { violations_per_10k_requests: 100, requests_at_least: 100 }
              watch: 2h
              rollback: { violations_per_10k_requests: 300, requests_at_least: 100 }
`;

const promoted = "promoted to the next step";
const setBack = "set back to the step before: it stays there";

const everywhere = "policy/everywhere";
const slowly = `            action: allow
            promote: { from: log, after: 7d, when: { requests_at_least: 100 } }
`;

/** The example, two policies of which come from log to allow, and what a daemon needs for that. */
async function steppingExample(): Promise<Example & { readonly clock: SimulatedClock }> {
  const clock = new SimulatedClock();
  const example = await exampleWithEmulator({
    config: `schedule: { cron: "0 0 1 * *" }\nstore: { path: state }\nmeasurements: {}`,
    ports: { clock },
  });
  const file = await example.place.read("zones/shop.yaml");
  const declared = "            action: allow\n";
  const stepped = file.replace(declared, `${declared}${promote}`);
  await example.place.write(
    "zones/shop.yaml",
    stepped.replace("            action: log\n", slowly),
  );
  const policy = "Scripts of the checkout";
  await control(example, "edit", { zone: shop, policy, set: { action: "log" } });
  await control(example, "traffic", {
    zone: shop,
    requests_per_hour: 60_000,
    shares: { [policy]: 0.001 },
  });
  return { ...example, clock };
}

/** What the API tells of a policy. */
async function stepsOf(daemon: Started, policy = checkout): Promise<JsonObject> {
  const { steps } = await jsonFrom(daemon, `api/v1/zones/${shop}`);
  const found = coerceObjects(coerceObject(steps)["objects"]).find(({ key }) => key === policy);
  return coerceObject(found);
}

function isSaid(daemon: Started, message: string): boolean {
  return logLines(daemon).some(({ msg }) => msg === message);
}

describe("a policy that comes from log to allow", () => {
  it("is promoted on measurements, and set back by one curl", async ({ expect }) => {
    await using example = await steppingExample();
    const { clock, place } = example;
    const daemon = place.start("run");
    await eventually("a run of each zone", async () => {
      await clock.advance(100);
      return (await isEveryZoneRun(daemon)) || undefined;
    });
    /** Lets time pass until something is so; gives how many minutes did. */
    const minutesUntil = async (
      what: string,
      isSo: () => boolean | Promise<boolean>,
    ): Promise<number> => {
      const before = clock.monotonicMs();
      await eventually(what, async () => {
        await clock.jump(300_000);
        return (await isSo()) || undefined;
      });
      return (clock.monotonicMs() - before) / 60_000;
    };
    expect(await stepsOf(daemon)).toMatchObject({ state: "waiting", step: "log" });

    const isPromoted = (): boolean => isSaid(daemon, promoted);
    expect(await minutesUntil("it is promoted", isPromoted)).toBeGreaterThanOrEqual(30);
    await eventually("the policy in force", async () => {
      await clock.advance(1_000);
      const { state } = await stepsOf(daemon);
      return state === "watched" || undefined;
    });
    expect(await stepsOf(daemon)).toMatchObject({ step: "allow", steps: ["log", "allow"] });
    expect(await textFrom(daemon, "metrics")).toContain('zonewarden_steps{state="watched"} 1');

    const { stdout: during } = await place.run("plan", shop);
    expect(during).toMatch(/note: policy\/checkout: allow \(watched for 2 h\)\n/);
    await control(example, "traffic", { zone: shop, shares: { checkout: 0.2 } });
    // Five minutes are enough: it waits for no whole hour.
    const isSetBack = (): boolean => isSaid(daemon, setBack);
    expect(await minutesUntil("it is set back", isSetBack)).toBeLessThan(45);
    expect(await stepsOf(daemon)).toMatchObject({
      state: "set_back",
      step: "log",
      waits_for: { reason: "stopped" },
    });
    const metrics = await textFrom(daemon, "metrics");
    expect(metrics).toContain('zonewarden_steps{state="set_back"} 1');
    expect(metrics).toContain('zonewarden_steps{state="watched"} 0');
    const page = await textFrom(daemon, `zones/${shop}`);
    expect(page).toMatch(/set back from allow after [\d,]+ in [\d,]+ requests/);
    const isLive = (action: string): Promise<true> =>
      eventually(`the policy is live with ${action}`, async () => {
        await clock.advance(1_000);
        const { entries } = await jsonFrom(daemon, `api/v1/zones/${shop}/history`);
        const last = coerceObjects(entries).at(-1);
        const [change] = coerceObjects(last?.["changes"]);
        const [field] = coerceObjects(change?.["fields"]);
        return (field?.["after"] === action && change?.["result"] === "done") || undefined;
      });
    await isLive("log");
    await stop(daemon);
    // What an apply leaves is known from the next run on.
    for (const measured of [1, 2]) {
      const next = place.start("run");
      await eventually("a run of each zone", async () => {
        await clock.advance(100);
        return (await isEveryZoneRun(next)) || undefined;
      });
      expect(await stepsOf(next)).toMatchObject({ state: "set_back", step: "log" });
      const areMeasured = async (): Promise<boolean> =>
        Number((await stepsOf(next, everywhere))["passed_seconds"]) >= measured * 3_600;
      const minutes = await minutesUntil(`${measured} h are measured`, areMeasured);
      if (measured === 2) expect(minutes, "the second hour alone").toBeLessThan(120);
      expect(isSaid(next, promoted) || isSaid(next, setBack)).toBe(false);
      await stop(next);
    }

    const { stdout: history } = await place.run("history", shop);
    expect(history).toMatch(/\n {2}policy\/checkout is promoted from log to allow\n/);
    expect(history).toMatch(
      /\n {2}policy\/checkout is set back from allow to log: [\d,]+ in [\d,]+ requests, [\d,]+ per 10,000\n/,
    );
    // The command finds the step in the store: it plans nothing.
    const { stdout: plan } = await place.run("plan", shop);
    expect(plan).toMatch(
      /note: policy\/checkout: log → allow after 30 min \(set back from allow after [\d,]+ in/,
    );
    expect(plan).toMatch(
      /note: policy\/everywhere: log → allow after 7 days \(\d of 168 hours measured\)/,
    );
    expect(plan).not.toContain("is not known");
    expect(plan).toContain("1 zone in sync");
    const { stdout: explained } = await place.run("explain", "zone", shop);
    expect(explained).toMatch(
      /\npolicy\/checkout: log → allow after 30 min \(set back from allow after [\d,]+ in .*; it stays/,
    );
    expect(explained).toMatch(
      // The daemon may have ended before it read an hour that is complete now.
      /\npolicy\/everywhere: log → allow after 7 days \(\d h of 7 days measured(; the last .*)?\)\n/,
    );
    // A change of the policy ends its stop.
    await place.edit("zones/shop.yaml", "after: 30m", "after: 40m");
    const { stdout: changed } = await place.run("plan", shop);
    expect(changed).toMatch(/note: policy\/checkout: log → allow after 40 min\n/);
    // The comment of a pull request tells what will happen too.
    const { stdout: comment } = await place.run("plan", shop, "--format", "markdown");
    expect(comment).toContain("policy/everywhere: log → allow after 7 days");
  });
});
