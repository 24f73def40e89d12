import { isDeepStrictEqual } from "node:util";

import { describe, it } from "vitest";

import { daemonRetry } from "../../src/api/request/retry.ts";
import { basePath } from "../../src/api/wire.ts";
import type { SeedZone } from "../../src/emulator/seed/seed.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type EmulatedFleet, startFleet } from "../support/emulated-fleet.ts";
import { type Emulated, emulated, everything } from "../support/emulated.ts";
import { listIn, objectIn } from "../support/emulator.ts";
import { declared, deployment, desiredZone, exception, policy, untuned } from "../support/model.ts";
import { deployOwasp, policy as checkout, rulesetOf } from "../support/writes.ts";

const shop = "shop.example.com";
const minute = 60_000;

const byHand: JsonObject = { ...checkout, description: "By hand" };
const ruleByHand: JsonObject = {
  action: "skip",
  action_parameters: { ruleset: "current" },
  expression: 'http.request.uri.path eq "/by-hand"',
  enabled: true,
  description: "Rule by hand",
  logging: { enabled: true },
};
const settings = { enabled: false };
const tuned = deployment("owasp", { tuning: { ...untuned, paranoiaLevel: 2, scoreThreshold: 40 } });

/** Zones that need, together, every kind of write. */
const stories: Readonly<
  Record<string, { readonly seed: Omit<SeedZone, "name">; readonly content: Partial<ZoneContent> }>
> = {
  "policies of every fate": {
    seed: {
      settings,
      policies: [byHand, checkout, { ...checkout, description: "Old [zonewarden:old]" }],
    },
    content: {
      settings: [{ name: "enabled", value: true }],
      policies: declared([
        policy("checkout", { action: "allow" }),
        policy("fresh", { description: "Fresh" }),
      ]),
    },
  },
  "a rule that differs": {
    seed: { entrypoint: [ruleByHand, deployOwasp] },
    content: { rules: declared([tuned]) },
  },
  "a rule that is missing": {
    seed: { entrypoint: [ruleByHand, deployOwasp] },
    content: {
      rules: declared([exception("health"), deployment("owasp", { description: "OWASP" })]),
    },
  },
  "a rule that is no longer declared": {
    seed: { entrypoint: [ruleByHand, deployOwasp] },
    content: { rules: declared([]) },
  },
  "no entry point": { seed: {}, content: { rules: declared([tuned]) } },
  "several rules at once": {
    seed: { entrypoint: [ruleByHand, deployOwasp] },
    content: { rules: declared([exception("health"), exception("login"), tuned]) },
  },
};

/** Everything that can go wrong with a request, once, and more often than one request is tried again. */
const faults = [
  { fault: "latency", milliseconds: 2 * minute },
  ...[400, 403, 404, 408, 409, 429, 500, 503].map((status) => ({ fault: "status", status })),
  { fault: "status", status: 503, retry_after: 30 },
  { fault: "lost_request" },
  { fault: "lost_answer" },
  { fault: "cut_body" },
  { fault: "malformed_json" },
  { fault: "stale", seconds: 3_600 },
  { fault: "revoked" },
].flatMap((order) => [
  { ...order, count: 1 },
  { ...order, count: 7 },
  { ...order, count: 1, skip: 1 },
]);

/** Method and path of a request, ids left open. */
interface Kind {
  readonly method: string;
  readonly path: string;
}

/** The end of a story: what is live, and what it took. */
interface End {
  readonly live: unknown;
  /** Ids of what was there before and is not ours. */
  readonly foreign: readonly string[];
  readonly kinds: readonly Kind[];
  readonly converged: boolean;
  readonly bugs: readonly unknown[];
  /** How many requests suffered. */
  readonly struck: number;
}

async function tell(
  { seed, content }: (typeof stories)[string],
  orders: readonly object[],
  signal: AbortSignal,
): Promise<End> {
  const clock = new SimulatedClock();
  let held = 0;
  const sleep = async (ms: number, own: AbortSignal): Promise<void> => {
    held += 1;
    await clock.sleep(ms, own).finally(() => (held -= 1));
  };
  await using at = await emulated(seed, { clock, sleep, timeoutMs: 30_000, retry: daemonRetry });
  // So long ago that what is read stale was there too.
  await clock.advance(120 * minute);
  const looked = { ...everything, scoreRule: false };
  const foreignBefore = foreignIn(await at.reader.readZone(at.zone, looked, "sweep", signal));
  at.journal();
  for (const order of orders) await at.fault(order);
  await using fleet = startFleet(at, {
    clock,
    heldBack: () => held,
    declared: new Map([[shop, desiredZone(content).content]]),
  });
  fleet.reconciler.requestSweep("startup");
  const converged = await sweepUntilDone(fleet);
  const kinds = kindsIn(at);
  const live = await at.look(signal);
  const foreign = foreignIn(live);
  return {
    live: withoutIds(live),
    foreign: foreign.filter((id) => foreignBefore.includes(id)),
    kinds,
    converged,
    bugs: fleet.bugs,
    struck: await struckIn(at),
  };
}

async function struckIn({ emulator }: Emulated): Promise<number> {
  const answer: unknown = await (await fetch(`${emulator.url}/_emulator/faults`)).json();
  return listIn(objectIn(answer)["faults"]).reduce((sum, { hits }) => sum + Number(hits), 0);
}

/** A sweep every quarter of an hour, until two in a row find nothing to do; gives up after three hours. */
async function sweepUntilDone(fleet: EmulatedFleet): Promise<boolean> {
  for (let sweep = 0; sweep < 12; sweep += 1) {
    await fleet.pass(15 * minute);
    const [before, last] = fleet.reports.slice(-2);
    if (before?.result === "in_sync" && last?.result === "in_sync") return true;
    fleet.reconciler.requestSweep("schedule");
  }
  return false;
}

function kindsIn(at: Emulated): readonly Kind[] {
  const seen = new Map<string, Kind>();
  for (const text of at.journal()) {
    const [method = "", address = ""] = text.split(" ");
    const path = (address.split("?")[0] ?? "").replace(basePath, "").replaceAll("…", "*");
    seen.set(`${method} ${path}`, { method, path });
  }
  return [...seen.values()];
}

/** Ids of what a person made. */
function foreignIn(live: LiveZone): readonly string[] {
  const policies = (live.policies ?? []).filter(({ description }) => description === "By hand");
  const rules = rulesetOf(live).rules.filter(({ description }) => description === "Rule by hand");
  return [...policies, ...rules].map(({ id }) => id);
}

/** What is live, in an order and with names that do not hang on the way there. */
function withoutIds(live: LiveZone): unknown {
  const policies = (live.policies ?? []).map((each) => ({ ...each, id: "" }));
  return {
    settings: live.settings,
    policies: policies.toSorted((a, b) => (a.description < b.description ? -1 : 1)),
    rules: rulesetOf(live).rules.map(({ description, expression, enabled, action: does, ref }) => ({
      description,
      expression,
      enabled,
      does,
      ref: ref.startsWith("zonewarden:") ? ref : "",
    })),
  };
}

describe.for(Object.entries(stories))("%s", ([, story]) => {
  it("ends as declared, whatever happens to whichever request", async ({ expect, signal }) => {
    const smooth = await tell(story, [], signal);
    expect(smooth.converged).toBe(true);
    expect(smooth.kinds.length).toBeGreaterThan(2);
    const orders = smooth.kinds.flatMap((kind) => faults.map((fault) => ({ ...fault, ...kind })));
    const strayed: object[] = [];
    for (const order of orders) {
      const { kinds: _, ...end } = await tell(story, [order], signal);
      const { kinds: __, ...wanted } = smooth;
      if (!isDeepStrictEqual(end, { ...wanted, struck: end.struck })) strayed.push({ order, end });
      if (end.struck === 0 && !("skip" in order)) strayed.push({ order, why: "it never struck" });
    }
    expect(strayed).toEqual([]);
    const requests = smooth.kinds.map(({ method, path }) => `${method} ${path}`);
    process.stdout.write(`${orders.length} faults in ${requests.join(", ")}\n`);
  });
});
