import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import type { Started } from "../support/command-line.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { type KubeApi, leasePath, startKubeApi } from "../support/kube-api.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";

const names = ["a", "b", "c"];
const zones = names.map((name) => `${name}.example.com`);

interface Scene extends AsyncDisposable {
  readonly example: Example;
  readonly kube: KubeApi;
  /** Starts a daemon with other values of the configuration than those of the scene. */
  start(change?: (config: string) => string): Promise<Started>;
}

/** Three credentials, each with one zone. */
async function scene(more = "limits: { max_fleet_share: 1 }"): Promise<Scene> {
  const kube = await startKubeApi();
  const credentials = names.map((name) => ({
    name,
    token_env: "ZONEWARDEN_API_TOKEN",
    zones: [`${name}.*`],
  }));
  const example = await exampleWithEmulator({
    seed: {
      tokens: [{ name: "all", value: "emulator-token", permissions: "all" }],
      rate_limit: false,
      zones: zones.map((name) => ({ name })),
    },
    config: `schedule: { cron: "0 * * * *" }
desired: { path: fleet }
credentials: ${JSON.stringify(credentials)}
cluster: { kubeconfig: kubeconfig, shards: credential }
${more}`,
  });
  const { place } = example;
  await place.write("fleet/zones.yaml", filesOf(zones));
  await place.write("kubeconfig", kube.kubeconfig);
  const started: Started[] = [];
  return {
    example,
    kube,
    start: async (change = (text) => text) => {
      const file = `zonewarden-${started.length}.yaml`;
      await place.write(file, change(await place.read("zonewarden.yaml")));
      const daemon = place.start("run", "--config", file);
      started.push(daemon);
      return daemon;
    },
    [Symbol.asyncDispose]: async () => {
      for (const daemon of started) daemon.signal("SIGTERM");
      await Promise.all(started.map(({ ended }) => ended));
      await kube[Symbol.asyncDispose]();
      await example[Symbol.asyncDispose]();
    },
  };
}

function filesOf(declared: readonly string[], enabled = true): string {
  const page = { settings: { enabled } };
  return JSON.stringify({ zones: declared.map((name) => ({ name, page_shield: page })) });
}

async function ask(daemon: Started, path: string): Promise<Response> {
  const { page } = await logged(daemon, "zonewarden started");
  return fetch(new URL(path, coerceText(page)));
}

async function metricsOf(daemon: Started): Promise<string> {
  return (await ask(daemon, "metrics")).text();
}

/** The zones that a daemon shows, with their status. */
async function shown(daemon: Started): Promise<Readonly<Record<string, string>>> {
  const answer = coerceObject(await (await ask(daemon, "api/v1/zones")).json());
  return Object.fromEntries(
    coerceObjects(answer["zones"]).map(({ name, status }) => [
      coerceText(name),
      coerceText(status),
    ]),
  );
}

/** Resolves when these daemons show all zones in sync, spread over them and none twice; gives how many each has. */
async function inSync(...daemons: readonly Started[]): Promise<readonly number[]> {
  return eventually("every zone is in sync, and shown once", async () => {
    const all = await Promise.all(daemons.map(shown));
    const entries = all.flatMap((each) => Object.entries(each));
    const isDone = entries.every(([, status]) => status === "in_sync");
    const isSpread = new Set(entries.map(([name]) => name)).size === entries.length;
    const counts = all.map((each) => Object.keys(each).length).toSorted((a, b) => a - b);
    const isEven = (counts.at(-1) ?? 0) - (counts[0] ?? 0) <= 1;
    return isDone && isSpread && isEven && entries.length === zones.length ? counts : undefined;
  });
}

function leaders(metrics: string): number {
  return metrics.match(/^zonewarden_leader\{lease="zonewarden\.[abc]"\} 1$/gm)?.length ?? 0;
}

function tokens(metrics: string): number {
  return metrics.match(/^zonewarden_api_token_valid\{/gm)?.length ?? 0;
}

function untilSaid(daemon: Started, message: string, times = 1): Promise<true> {
  const said = (): number => logLines(daemon).filter(({ msg }) => msg === message).length;
  return eventually(message, () => said() >= times || undefined);
}

async function shardsSeenBy(daemon: Started): Promise<readonly (readonly [string, string])[]> {
  const fleet = coerceObject(await (await ask(daemon, "api/v1/fleet")).json());
  const shards = coerceObjects(coerceObject(fleet["cluster"])["shards"]);
  return shards.map(({ credential, holder }) => [coerceText(credential), coerceText(holder)]);
}

describe("two processes that share credentials", { timeout: 120_000 }, () => {
  it("spread them, show who has which, and take those of one that ends", async ({ expect }) => {
    await using stage = await scene();
    const first = await stage.start();
    expect(await inSync(first)).toEqual([3]);
    const second = await stage.start();
    expect(await inSync(first, second)).toEqual([1, 2]);
    const written = writesSeenBy(stage.example.emulator).length;

    const seen = await eventually("both see the same holders", async () => {
      const [one, other] = [await shardsSeenBy(first), await shardsSeenBy(second)];
      return JSON.stringify(one) === JSON.stringify(other) ? one : undefined;
    });
    expect(new Set(seen.map(([, holder]) => holder)).size).toBe(2);
    const [one, other] = [await metricsOf(first), await metricsOf(second)];
    expect(leaders(one) + leaders(other)).toBe(3);
    // Each has the credentials that it works with, and no other.
    expect([tokens(one), tokens(other)]).toEqual([leaders(one), leaders(other)]);
    const page = await (await ask(second, "")).text();
    for (const [credential] of seen) expect(page).toContain(`<dt>${credential}</dt>`);
    expect(page).toContain("this process");

    first.signal("SIGTERM");
    expect((await first.ended).code).toBe(0);
    expect(await inSync(second)).toEqual([3]);
    // What the one knew, the other knows: nothing is written again.
    expect(writesSeenBy(stage.example.emulator)).toHaveLength(written);
  });

  it("judge a revision by all zones, whoever has them", async ({ expect }) => {
    await using stage = await scene("limits: { min_fleet: 2 }");
    const { place, emulator } = stage.example;
    const first = await stage.start((text) => `${text}  `);
    await untilSaid(first, "leadership acquired", 3);
    const second = await stage.start();
    // The first round of each: what was applied before is not known, and each changes more than its limit.
    await untilSaid(second, "revision held");
    expect(writesSeenBy(emulator)).toEqual([]);
    await place.write("fleet/zones.yaml", filesOf(zones, false));
    // As the zones are: nothing is held any more.
    expect(await inSync(first, second)).toEqual([1, 2]);
    await place.write("fleet/zones.yaml", filesOf(zones.slice(0, 1), true));
    await untilSaid(first, "revision held", 2);
    await untilSaid(second, "revision held", 2);
    expect(writesSeenBy(emulator)).toEqual([]);
  });

  it("report a zone that nobody lists once", async ({ expect }) => {
    await using stage = await scene();
    await stage.example.place.write("fleet/zones.yaml", filesOf([...zones, "d.example.com"]));
    const daemons = [await stage.start(), await stage.start()];
    const errors = await eventually("four zones are shown", async () => {
      const all = (await Promise.all(daemons.map(shown))).flatMap((each) => Object.entries(each));
      const isDone = all.length === 4 && all.every(([, status]) => /in_sync|error/.test(status));
      return isDone ? all.filter(([, status]) => status === "error") : undefined;
    });
    expect(errors).toEqual([["d.example.com", "error"]]);
  });
});

describe("a process waits until others have ended that", { timeout: 120_000 }, () => {
  it.for([
    {
      when: "work without shards",
      first: (text: string) => text.replace("shards: credential", "shards: none"),
      second: (text: string) => text,
    },
    {
      when: "work with shards",
      first: (text: string) => text,
      second: (text: string) => text.replace("shards: credential", "shards: none"),
    },
    {
      when: "have other credentials",
      first: (text: string) => text,
      second: (text: string) => text.replace("a.*", "a.example.*"),
    },
  ])("$when", async ({ first, second }, { expect }) => {
    await using stage = await scene();
    const before = await stage.start(first);
    expect(await inSync(before)).toEqual([3]);
    const after = await stage.start(second);
    await untilSaid(after, "waiting for leadership");
    const beats = (): number => stage.kube.seen.filter(({ path }) => path === leasePath).length;
    const seen = beats();
    await eventually("both have looked several times", () => beats() > seen + 12 || undefined);
    expect(await shown(after)).toEqual({});
    expect((await ask(after, "readyz")).status).toBe(200);
    expect(await inSync(before)).toEqual([3]);
    before.signal("SIGTERM");
    expect((await before.ended).code).toBe(0);
    expect(await inSync(after)).toEqual([3]);
  });
});
