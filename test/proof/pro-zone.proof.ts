import { describe, it } from "vitest";

import { coerceObject, coerceText, isObjectList } from "../../src/syntax/json.ts";
import { ask, listAnswer } from "../support/ask.ts";
import { SimulatedClock } from "../support/clock.ts";
import type { Started } from "../support/command-line.ts";
import { goodSeed } from "../support/emulator.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { freeLease, type KubeApi, leasePath, startKubeApi } from "../support/kube-api.ts";
import { logLines } from "../support/log-lines.ts";
import { installation, noPostgres } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";

const shop = "shop.example.com";
const minute = 60_000;
const hour = 60 * minute;

const seed = goodSeed(`
tokens: [{ name: everything, value: emulator-token, permissions: all }]
zones: [{ name: ${shop}, plan: pro }]
`);

const config = `schedule: { cron: "0 * * * *" }
cluster: { kubeconfig: kubeconfig, lease_duration: 5m }
store: { postgres: { url_file: database-url } }
measurements: {}`;

const zones = `zones:
  - name: ${shop}
    custom_rules:
      rules:
        - key: logins
          description: Login attempts
          action: block
          expression: http.request.uri.path eq "/login"
          promote:
            from: managed_challenge
            after: 7d
            when: { events_per_10k_requests: 200 }
            rollback: { events_per_10k_requests: 1000 }
`;

const [promoted, measured] = ["promoted to the next step", "measurements up to date"];

function says(daemon: Started, message: string): boolean {
  return logLines(daemon).some(({ msg }) => msg === message);
}

/** How long no process runs before each restart. Of 30 hours, the service has the last 24. */
const downHours = [14, 20, 9, 30, 23, 3, 22, 14, 19, 17, 7];
const lostHours = 6;

/** A zone whose events the service gives for 24 hours, and processes that run for minutes. */
class ProZone implements AsyncDisposable {
  readonly #example: Example;
  readonly #kube: KubeApi;
  readonly #clock: SimulatedClock;
  readonly #started: Started[] = [];

  private constructor(example: Example, kube: KubeApi, clock: SimulatedClock) {
    this.#example = example;
    this.#kube = kube;
    this.#clock = clock;
  }

  static async begin(): Promise<ProZone> {
    const clock = new SimulatedClock(new Date("2026-11-20T12:05:00Z"));
    const kube = await startKubeApi();
    kube.edit(leasePath, freeLease);
    const { url } = await installation();
    const example = await exampleWithEmulator({ config, seed, ports: { clock } });
    const { place } = example;
    await place.write("kubeconfig", kube.kubeconfig);
    await place.write("database-url", url);
    for (const name of ["baseline", "sites"]) await place.remove(`zones/${name}.yaml`);
    await place.write("zones/shop.yaml", zones);
    return new ProZone(example, kube, clock);
  }

  /** Visitors, some of whom the rule stops. */
  async traffic(): Promise<void> {
    const shares = { "Login attempts": 0.01 };
    await control(this.#example, "traffic", { zone: shop, requests_per_hour: 5_000, shares });
  }

  start(): Started {
    const daemon = this.#example.place.start("run");
    this.#started.push(daemon);
    return daemon;
  }

  async until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    await eventually(what, async () => {
      await this.#clock.advance(5_000);
      return (await isSo()) || undefined;
    });
  }

  /** Lets the five minutes pass after which a process decides. */
  async look(): Promise<void> {
    for (let passed = 0; passed < 6 * minute; passed += 20_000) {
      await this.#clock.advance(20_000);
      await this.live();
    }
  }

  /** Lets time pass in which no process runs. */
  async pass(hours: number): Promise<void> {
    await this.#clock.advance(hours * hour);
  }

  /** The action of the rule that is live. */
  async live(): Promise<string> {
    const { emulator } = this.#example;
    const [zone] = await listAnswer(emulator, `/zones?name=${shop}`);
    const phase = "phases/http_request_firewall_custom/entrypoint";
    const { rules } = coerceObject(await ask(emulator, `/zones/${zone?.id}/rulesets/${phase}`));
    return isObjectList(rules) ? coerceText(rules[0]?.["action"]) : "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const daemon of this.#started) daemon.signal("SIGTERM");
    await Promise.all(this.#started.map(({ ended }) => ended));
    await this.#kube[Symbol.asyncDispose]();
    await this.#example[Symbol.asyncDispose]();
  }
}

describe.skipIf(noPostgres)(`a zone of the Pro plan ${noPostgres ?? ""}`, () => {
  it("reaches a decision of seven days across restarts and changes of leader", async ({
    expect,
  }) => {
    await using zone = await ProZone.begin();
    const first = zone.start();
    await zone.until("the rule is live", async () => says(first, "plan applied"));
    expect(await zone.live()).toBe("managed_challenge");
    await zone.traffic();
    await zone.until("it is measured", () => says(first, measured));
    await stop(first);

    let [hours, changes] = [0, 0];
    let leader = first;
    for (const [nth, down] of downHours.entries()) {
      expect(says(leader, promoted)).toBe(false);
      await zone.pass(down);
      hours += down;
      leader = zone.start();
      if (nth === 2 || nth === 7) {
        await zone.until("a leader works", () => says(leader, measured));
        const next = zone.start();
        await zone.until("the next one waits", () => says(next, "another process leads"));
        await stop(leader);
        expect(says(leader, promoted)).toBe(false);
        leader = next;
        changes += 1;
      }
      await zone.until("it is measured", () => says(leader, measured));
      await zone.look();
      if (hours < lostHours + 168) expect(await zone.live()).toBe("managed_challenge");
      if (nth < downHours.length - 1) await stop(leader);
    }
    expect({ hours, changes }).toEqual({ hours: lostHours + 172, changes: 2 });
    expect(says(leader, promoted)).toBe(true);
    await zone.until("it is live", async () => (await zone.live()) === "block");
  });
});
