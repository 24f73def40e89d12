import { describe, it } from "vitest";

import { coerceObject, coerceText, isObjectList } from "../../src/syntax/json.ts";
import { ask, listAnswer } from "../support/ask.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Started } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop, textFrom } from "../support/running.ts";
import { allRun, noneRuns } from "../support/settled-example.ts";

const shop = "shop.example.com";
const minute = 60_000;

/** A daemon with a policy on its way; time passes for it and the service alike. */
class Stepping implements AsyncDisposable {
  readonly example: Example;
  readonly clock: SimulatedClock;
  #daemon: Started | undefined;

  constructor(example: Example, clock: SimulatedClock) {
    this.example = example;
    this.clock = clock;
  }

  async start(): Promise<Started> {
    this.#daemon = this.example.place.start("run");
    await allRun(this.#daemon);
    return this.#daemon;
  }

  async end(): Promise<void> {
    if (this.#daemon !== undefined) await stop(this.#daemon);
    this.#daemon = undefined;
  }

  /** Lets time pass until something is logged, and gives how many minutes did. */
  async until(daemon: Started, msg: string): Promise<number> {
    let minutes = 0;
    await eventually(msg, async () => {
      if (logLines(daemon).some((line) => line["msg"] === msg)) return true;
      await this.pass(5 * minute);
      minutes += 5;
      return undefined;
    });
    return minutes;
  }

  /** No request is under way when time passes: five minutes are longer than its timeout. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 5 * minute) {
      if (this.#daemon !== undefined) await noneRuns(this.#daemon);
      await this.clock.jump(5 * minute);
    }
  }

  /** The action of the policy that is live. */
  async live(): Promise<string> {
    const [zone] = await listAnswer(this.example.emulator, `/zones?name=${shop}`);
    const policies = await ask(this.example.emulator, `/zones/${zone?.id}/page_shield/policies`);
    const found = isObjectList(policies) ? policies : [];
    const own = found.find(({ description }) => coerceText(description).includes("Scripts of pay"));
    return coerceText(coerceObject(own)["action"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await this.example[Symbol.asyncDispose]();
  }
}

/** @param promote of the policy, in YAML. */
async function stepping(promote: string, config: string): Promise<Stepping> {
  const clock = new SimulatedClock();
  const example = await exampleWithEmulator({
    config: `schedule: { cron: "0 * * * *" }\nstore: { path: state }\n${config}`,
    ports: { clock },
  });
  const text = await example.place.read("zones/shop.yaml");
  const item = `          - key: pay
            description: Scripts of pay
            action: allow
            expression: http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/pay")
            value: script-src 'self'
            promote: ${promote}
`;
  await example.place.write(
    "zones/shop.yaml",
    text.replace("        items:\n", (found) => found + item),
  );
  return new Stepping(example, clock);
}

const promoted = "promoted to the next step";

describe("a daemon with a policy on its way", () => {
  it("counts the time over restarts, and stays at a step that is not known", async ({ expect }) => {
    await using world = await stepping("{ from: log, after: 1h, when: time_only, watch: 1h }", "");
    let daemon = await world.start();
    await eventually("the policy is live", async () => (await world.live()) === "log" || undefined);
    await world.pass(40 * minute);
    expect(logLines(daemon).some(({ msg }) => msg === promoted)).toBe(false);
    await world.end();

    world.clock.step(5 * 3_600_000);
    daemon = await world.start();
    // Up to ten minutes of the first process are not stored.
    const left = await world.until(daemon, promoted);
    expect(left).toBeGreaterThanOrEqual(20);
    expect(left).toBeLessThan(60);
    await eventually("it is live", async () => (await world.live()) === "allow" || undefined);
    expect(await textFrom(daemon, "metrics")).toMatch(/^zonewarden_steps\{state="watched"\} 1$/m);
    expect(await jsonFrom(daemon, `api/v1/zones/${shop}`)).toMatchObject({
      steps: { objects: [{ key: "policy/pay" }] },
    });
    await world.end();
    const { example } = world;
    const history = await example.place.run("history", shop);
    expect(history.stdout).toContain("policy/pay is promoted from log to allow");

    // Somebody sets it back: a command that reads the store knows the step, and one that cannot leaves it.
    await control(example, "edit", {
      zone: shop,
      policy: "Scripts of pay",
      set: { action: "log" },
    });
    const { stdout, code } = await example.place.run("plan", shop);
    expect(stdout).toMatch(/policy\/pay[^]*action[^]*log → allow/);
    expect(code).toBe(2);
    await example.place.remove("state");
    const lost = await example.place.run("plan", shop);
    expect(lost.stdout).toContain("stays at log");
    expect(lost.code).toBe(0);

    // Nor does a daemon set a step back that it does not know.
    await control(example, "edit", {
      zone: shop,
      policy: "Scripts of pay",
      set: { action: "allow" },
    });
    daemon = await world.start();
    await world.pass(20 * minute);
    expect(await world.live()).toBe("allow");
    await world.end();
  });
});
