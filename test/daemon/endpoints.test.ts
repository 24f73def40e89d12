import { describe, it } from "vitest";

import { RunningConfig } from "../../src/daemon/config-reload.ts";
import { CurrentTerm } from "../../src/daemon/current-term.ts";
import {
  commandRollout,
  type EndpointContext,
  type EndpointParts,
  startEndpoints,
  storeFor,
  workersCheck,
} from "../../src/daemon/endpoints.ts";
import { MemoryStore } from "../../src/memory/memory-store.ts";
import { stuckAfterMs } from "../../src/reconcile/run/deadline.ts";
import { coerceText } from "../../src/syntax/json.ts";
import { EventStream } from "../../src/web/event-stream.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { hostIn } from "../support/command-line.ts";
import { configFrom } from "../support/config-from.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { fleetOf } from "../support/fleets.ts";
import { startJsonSink } from "../support/http-server.ts";
import { book } from "../support/log-book.ts";
import { logged, logLines } from "../support/log-lines.ts";
import { zoneNamed } from "../support/model.ts";
import { declared, named, standby, start } from "../support/reports.ts";
import { requestFrom } from "../support/request-from.ts";
import { jsonFrom, pageOf, stop } from "../support/running.ts";
import { freshMetrics } from "../support/scrapes.ts";

/** A reconciler that runs zones, each since a moment. */
function running(zones: readonly (readonly [ZoneName, number])[]) {
  return { reconciler: { running: new Map(zones) } };
}

describe("the check of the workers", () => {
  it("fails when one runs a zone longer than any run may take", async ({ expect }) => {
    const clock = new SimulatedClock();
    const { name } = zoneNamed("shop.example");
    const check = workersCheck(running([[name, clock.monotonicMs()]]), clock);
    await clock.advance(stuckAfterMs);
    expect(check.failure()).toBeUndefined();
    await clock.advance(1);
    expect(check.failure()).toBe("stuck with shop.example");
  });

  it("uses the monotonic clock, not the wall clock", ({ expect }) => {
    const clock = new SimulatedClock();
    const { name } = zoneNamed("shop.example");
    const check = workersCheck(running([[name, clock.monotonicMs()]]), clock);
    clock.step(2 * stuckAfterMs);
    expect(check.failure()).toBeUndefined();
  });

  it("passes when nothing runs", ({ expect }) => {
    expect(workersCheck(running([]), new SimulatedClock()).failure()).toBeUndefined();
  });
});

/** A store that says what was asked of it, and can fail. */
class AskedStore extends MemoryStore {
  readonly asked: string[] = [];
  readonly #is: { readonly isWritable?: boolean; readonly isOurs?: boolean };

  constructor(is: { readonly isWritable?: boolean; readonly isOurs?: boolean }) {
    super();
    this.#is = is;
  }

  override flush(): Promise<boolean> {
    this.asked.push("flush");
    return Promise.resolve(this.#is.isWritable ?? true);
  }

  override isHeld(): Promise<boolean> {
    this.asked.push("held");
    return Promise.resolve(this.#is.isOurs ?? true);
  }
}

const answers = {
  done: { result: "done", zones: [], left: [] },
  as_before: { result: "as_before" },
  not_listed: { result: "not_listed" },
} as const;

describe("a command to a rollout", () => {
  it.for([
    { answer: "done", store: {}, says: "done", asks: ["flush", "held"] },
    { answer: "done", store: { isWritable: false }, says: "not_stored", asks: ["flush"] },
    { answer: "done", store: { isOurs: false }, says: "not_stored", asks: ["flush", "held"] },
    { answer: "as_before", store: {}, says: "as_before", asks: ["flush", "held"] },
    // What stands may be what could not be stored when it was commanded before.
    { answer: "as_before", store: { isWritable: false }, says: "not_stored", asks: ["flush"] },
    { answer: "not_listed", store: { isWritable: false }, says: "not_listed", asks: [] },
  ] as const)(
    "that is $answer is answered as $says: $store",
    async ({ answer, store: how, says, asks }, { expect }) => {
      const store = new AskedStore(how);
      const reconciler = { commandRollout: () => Promise.resolve(answers[answer]) };
      const by = { by: "mia", from: "127.0.0.1" };
      const { result } = await commandRollout(
        { reconciler, store },
        { name: "pause", zones: [] },
        "",
        by,
      );
      expect(result).toBe(says);
      expect(store.asked).toEqual(asks);
    },
  );

  it("is done for who has the token; the log warns of those that are refused", async ({
    expect,
  }) => {
    const rollout = `{ waves: [{ zones: [shop.example.com, typo.example.com] }, { share: 100% }], token_file: token }`;
    await using sink = await startJsonSink();
    await using example = await exampleWithEmulator({
      config: `schedule: { cron: "0 * * * *" }
store: { path: state }
rollout: ${rollout}
notifications: [{ name: chat, type: webhook, url: "${sink.url}" }]`,
      server: "reconcile_token_file: reconcile-token",
    });
    await example.place.write("reconcile-token", "a-token-of-the-store");
    await example.place.write("token", "a-token-of-a-rollout");
    const daemon = example.place.start("run");
    await logged(daemon, "rollout began");
    const page = await pageOf(daemon);
    expect(await jsonFrom(daemon, "api/v1/diagnostics")).toMatchObject({
      diagnostics: [{ code: "WAVE_ZONE_UNDECLARED" }],
    });
    const post = async (path: string, body: object, of = "a-rollout"): Promise<string> => {
      const answer = await fetch(`${page}api/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer a-token-of-${of}` },
        body: JSON.stringify(body),
      });
      return `${answer.status} ${await answer.text()}`;
    };
    const command = (name: string, revision: string): Promise<string> =>
      post(`rollout/${name}`, { revision, by: "mia" });
    expect(await command("abort", "sha256-000000000000")).toMatch(/^409/);
    expect(await command("pause", "")).toMatch(/^200/);
    expect(await command("pause", "")).toMatch(/^200/);
    expect(await jsonFrom(daemon, "api/v1/rollout")).toMatchObject({
      rollout: { state: "paused" },
    });
    const zones = ["ghost.example.com", "blog.example.com"];
    expect(await post("rollout/promote", { zones, by: "mia" })).toMatch(
      /^404.*not declared: ghost\.example\.com"/,
    );
    // A token for the rollout is none for the store.
    expect(await post("store", {})).toMatch(/^401/);
    const ofBlog = { format: 1, adopted: {}, weakened: { named: ["blog.example.com"] } };
    expect(await post("store", ofBlog, "the-store")).toMatch(/^200.*"stored"/);
    expect(logLines(daemon).filter(({ msg }) => msg === "a command asked to store")).toMatchObject([
      { level: "warn", audit: true, result: "wrong_token" },
      { level: "info", audit: true, result: "stored" },
    ]);
    const told = logLines(daemon).filter(({ msg }) => msg === "rollout commanded");
    expect(told).toMatchObject([
      { level: "warn", audit: true, command: "abort", result: "other_revision", by: "mia" },
      { level: "info", command: "pause", result: "done" },
      { level: "info", command: "pause", result: "as_before" },
      { level: "warn", command: "promote", result: "no_zone" },
    ]);
    expect(await stop(daemon)).toBe(0);
    const reasons = sink.objects.map(({ reason }) => reason);
    expect(reasons).toContain("RolloutBegan");
    const { stdout } = await example.place.run("history");
    expect(stdout).toMatch(/rollout began[^]*rollout paused by mia/);
  });

  it("that arrives while the term ends is not done", async ({ expect }) => {
    const by = { by: "mia", from: "127.0.0.1" };
    const answer = await commandRollout(undefined, { name: "pause", zones: [] }, "", by);
    expect(answer).toEqual({ result: "not_listed" });
  });
});

describe("what a command has stored by the daemon", () => {
  const [shop, blog, pay] = [named("shop.example"), named("blog.example"), named("pay.example")];
  const rule = { kind: "custom_rule", id: "a1", ref: "terraform-1", key: "probes" };
  const message = (adopted: readonly string[], weakened: readonly string[]): unknown => ({
    format: 1,
    adopted: Object.fromEntries(adopted.map((zone) => [zone, [rule]])),
    weakened: { named: weakened },
    used: [],
  });

  it.for([
    { json: message(["shop.example"], ["blog.example"]), says: "stored" },
    { json: { format: 2 }, says: "bad_message" },
    { json: message(["shop.example"], ["other.example"]), says: "no_zone" },
    { json: message(["other.example"], ["shop.example"]), says: "no_zone" },
    // A run of a zone that is only weakened stores nothing of that.
    { json: message(["shop.example"], ["pay.example"]), says: "stored" },
    { json: message(["shop.example", "pay.example"], ["blog.example"]), says: "busy" },
    {
      json: message(["shop.example"], ["blog.example"]),
      store: { isOurs: false },
      says: "not_stored",
    },
  ])("is $says: $json", async ({ json, says, store: how = {} }, { expect }) => {
    const store = new AskedStore(how);
    const fleet = fleetOf(declared(shop), declared(blog), declared(pay));
    const current = { term: { store }, fleet, ...running([[pay, 0]]) };
    const clock = new SimulatedClock();
    expect(await storeFor(json, current, { clock })).toBe(says);
    const isAsked = says === "stored" || says === "not_stored";
    expect(store.asked).toEqual(isAsked ? ["flush", "held"] : []);
    expect(store.keys("adopted/")).toHaveLength(isAsked ? 1 : 0);
    const waiting = { ...current, term: undefined };
    expect(await storeFor(json, waiting, { clock })).toBe(
      says === "bad_message" ? "bad_message" : "not_stored",
    );
  });
});

const { lease, identity, ...view } = standby;
const fence = { isHeld: () => false, endIfOver: () => undefined, limitMs: 0 };
const led = { election: { lease, identity, fence, view: { ...view, isLed: true } } };
const notLed = { election: { ...led.election, view: { ...view, isLed: false } } };

/** The endpoints of a process that waits for the Lease, what they log, and their address. */
async function waitingProcess(
  more: Partial<EndpointParts> = {},
  context: Partial<EndpointContext> = {},
) {
  const clock = new SimulatedClock();
  const { logger, lines } = book();
  const config = await configFrom(
    `mode: observe
desired: { path: zones }
server: { listen: "127.0.0.1:0", hosts: [status.example.com], reconcile_token_env: TOKEN }`,
  );
  const served = await startEndpoints(
    {
      config,
      metrics: freshMetrics(),
      logger,
      emulator: undefined,
      service: { credentials: [], credentialOf: () => "main" },
      shared: led,
      ...more,
    },
    {
      current: new CurrentTerm(),
      pages: new EventStream(clock),
      runningConfig: new RunningConfig(config),
      schedule: scheduleAt(() => undefined),
      shutdown: { receivedSignal: undefined },
      ...context,
    },
    hostIn("/", { clock, env: { TOKEN: "the-token" } }),
  );
  const page = coerceText(lines()[0]?.["page"]);
  return {
    lines,
    page,
    ask: async (path: string, init: RequestInit = {}): Promise<string> => {
      const answer = await fetch(new URL(path, page), init);
      return `${answer.status} ${await answer.text()}`;
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

function scheduleAt(nextRun: () => Date | undefined): EndpointContext["schedule"] {
  const options = { cron: ["0 * * * *"], timezone: "UTC" };
  return { options, nextRun, longestGapMs: 3_600_000, sweepMs: 0 };
}

describe("a process that waits for the Lease", () => {
  it("is ready, shows no zone, and leaves all requests to the holder", async ({ expect }) => {
    await using process = await waitingProcess();
    expect(await process.ask("readyz")).toBe("200 ok\n");
    const fleet = await fetch(`${process.page}api/v1/fleet`);
    expect(await fleet.json()).toMatchObject({
      zones: 0,
      queue: { waiting: 0, running: [] },
      state: { status: "none" },
      cluster: { lease: standby.lease, holder: standby.holder, reconciles: false },
    });
    expect(await process.ask("metrics")).toContain("zonewarden_leader");
    expect(await process.ask("api/v1/rollout")).toMatch(/^503/);
    const asking = { method: "POST", headers: { authorization: "Bearer the-token" } };
    for (const zones of ["?zone=shop.example", ""]) {
      expect(await process.ask(`api/v1/reconcile${zones}`, asking)).toMatch(/^503/);
    }
    // No token permits it.
    expect(await process.ask("api/v1/rollout/pause", asking)).toMatch(/^404/);
    const [, ofZone, ofAll] = process.lines();
    const facts = { level: "warn", msg: "reconcile requested", audit: true, result: "standby" };
    expect(ofZone).toMatchObject({ ...facts, zone: "shop.example" });
    expect(ofAll).toMatchObject(facts);
    expect(ofAll).not.toHaveProperty("zone");
  });

  it.for([
    { what: "nobody is known to lead", more: { shared: notLed }, why: "no leader is known" },
    {
      what: "it waits for its own store",
      more: { shared: undefined },
      why: "the store cannot be opened",
    },
  ])("is not ready while $what", async ({ more, why }, { expect }) => {
    await using process = await waitingProcess(more);
    expect(await process.ask("readyz")).toMatch(/^503 /);
    expect(await process.ask("readyz")).toContain(`[-]leader failed: ${why}\n`);
  });

  it("logs where it is found, and answers under its names", async ({ expect }) => {
    const started = { msg: "zonewarden started", mode: "observe", files: "/zones" };
    await using process = await waitingProcess(
      { emulator: "http://127.0.0.1:8787" },
      { schedule: scheduleAt(() => start) },
    );
    const { page, lines } = process;
    expect(lines()).toMatchObject([
      {
        ...started,
        metrics: `${page}metrics`,
        emulator: "http://127.0.0.1:8787/_emulator/",
        next_sweep: start.toISOString(),
      },
    ]);
    const probe = await requestFrom(`${page}livez?verbose`, {
      headers: { host: "status.example.com" },
    });
    expect(probe.text).toMatch(/event-loop ok\n[^]*clock ok\n[^]*workers ok\n/);
    await using other = await waitingProcess();
    expect(Object.keys(other.lines()[0] ?? {})).not.toContain("emulator");
  });

  it("is not ready once it stops", async ({ expect }) => {
    await using process = await waitingProcess({}, { shutdown: { receivedSignal: "SIGTERM" } });
    expect(await process.ask("readyz")).toMatch(/^503 [^]*shutdown failed: stopping$/m);
  });

  it("logs the internal error of a request", async ({ expect }) => {
    let isBroken = false;
    const schedule = scheduleAt(() => {
      if (isBroken) throw new TypeError("planted");
      return undefined;
    });
    await using process = await waitingProcess({}, { schedule });
    isBroken = true;
    expect(await process.ask("api/v1/fleet")).toMatch(/^500/);
    expect(process.lines().at(-1)).toMatchObject({
      msg: "internal error",
      err: { message: "planted" },
    });
  });
});
