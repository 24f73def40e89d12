import path from "node:path";

import { vi } from "vitest";

import { SimulatedClock } from "./clock.ts";
import type { Started } from "./command-line.ts";
import { declareMore, idsOf, prepareFiles, storySeed, zones } from "./daemon-story-files.ts";
import { control, type Example, exampleWithEmulator } from "./example.ts";
import { startJsonSink } from "./http-server.ts";
import { logged } from "./log-lines.ts";
import { eventually } from "./processes.ts";
import { pageOf } from "./running.ts";
import { revisionIn, seriesIn } from "./scrapes.ts";

const { blog, shop, brand } = zones;

const start = new Date("2026-11-20T12:00:00Z");

/** What a daemon exported at the end of its story. */
export interface Story {
  readonly series: ReadonlyMap<string, number>;
  /** After a revision is held: then the last load is no longer successful. */
  readonly seriesWhileHeld: ReadonlyMap<string, number>;
  readonly source: string;
  /** Active revision, and the one that is held. */
  readonly revision: string;
  readonly held: string;
  /** How many requests the service saw. */
  readonly requests: number;
}

/**
 * Runs a daemon over the emulator with faults, so that every metric has a value. Time passes only where the story says so:
 * the emulator is slow by the daemon's clock, and what happens at once takes 0 s.
 */
export async function daemonStory(): Promise<Story> {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: start });
  try {
    await using sink = await startJsonSink();
    const clock = new SimulatedClock(start);
    const slow: number[] = [];
    await using example = await exampleWithEmulator({
      seed: await storySeed(),
      sleep: (ms, signal) => {
        slow.push(ms);
        return clock.sleep(ms, signal);
      },
      config: `schedule: { cron: "*/29 * * * * *", timezone: Etc/UTC, on_change: false }
inventory: { enabled: true, every: 12h }
budget: { requests: 900, window: 5m }
store: { path: state }
notifications: [{ name: pipeline, type: webhook, url: "${sink.url}" }]`,
      server: "reconcile_token_env: RECONCILE_TOKEN",
      ports: {
        clock,
        random: () => 0.5,
        env: {
          ZONEWARDEN_API_TOKEN: "emulator-token",
          ZONEWARDEN_REVISION: "0a1b2c3",
          RECONCILE_TOKEN: "reconcile-token",
        },
      },
    });
    await prepareFiles(example);
    const stage = new Stage(example, clock, slow, await idsOf(example));
    return await played(stage);
  } finally {
    vi.useRealTimers();
  }
}

async function played(stage: Stage): Promise<Story> {
  await stage.begin();
  try {
    await startup(stage);
    await failures(stage);
    await rateLimit(stage);
    await lateSweeps(stage);
    await declareMore(stage);
    const series = await stage.scrape();
    const requests = stage.requests;
    await holdRevision(stage);
    const seriesWhileHeld = await stage.scrape();
    return {
      series,
      seriesWhileHeld,
      requests,
      source: path.join(stage.example.place.directory, "zones"),
      revision: revisionIn(series, "zonewarden_files_info"),
      held: revisionIn(seriesWhileHeld, "zonewarden_files_held_info"),
    };
  } finally {
    await stage.end();
  }
}

/** Zones are read, inventories too; the shop is corrected, and the brand is suspended. Ends after 4.2 s. */
async function startup(stage: Stage): Promise<void> {
  const { id } = stage;
  await stage.slow(1);
  await stage.attempted(0, blog, brand);
  await stage.has(`inventory_last_success_timestamp_seconds{zone="${blog}"}`, stage.at(0));
  await stage.pass(300);
  await stage.has(`inventory_failing{zone="${brand}"}`, 1);
  await stage.pass(300);
  await stage.has(`inventory_last_success_timestamp_seconds{zone="${shop}"}`, stage.at(0.6));
  const scripts = `*/${id(shop)}/page_shield/scripts`;
  await stage.fault({ fault: "latency", milliseconds: 700, path: scripts, count: 1 });
  await stage.fault({ fault: "latency", milliseconds: 2_000, method: "PATCH", count: 1 });
  await stage.pass(900);
  await stage.slow(2);
  await stage.pass(700);
  await stage.slow(3);
  await stage.pass(2_000);
  await stage.attempted(4.2, shop);
}

/** Somebody edits two zones, and the service rejects the correction of the blog. Ends after 5.75 s. */
async function failures(stage: Stage): Promise<void> {
  const { id } = stage;
  const policy = { action: "log", expression: "true", enabled: true, value: "img-src 'self'" };
  for (const description of ["By hand", "By hand too"]) {
    await stage.edit({ zone: shop, policy: { ...policy, description } });
  }
  await stage.edit({ zone: blog, rule: "zonewarden:owasp", set: { paranoia_level: 1 } });
  await stage.fault({ fault: "status", status: 400, method: "PATCH", path: `*/${id(blog)}/*` });
  await stage.fault({ fault: "status", status: 503, path: "*/zones", count: 2 });
  await stage.pass(800);
  stage.sweep();
  await stage.has('api_retries_total{reason="server_error"}', 1);
  await stage.pass(250);
  await stage.has('api_retries_total{reason="server_error"}', 2);
  await stage.pass(500);
  await stage.attempted(5.75, blog, shop, brand);
}

/** The service answers a request about the shop with 429, and that of the blog waits. Ends after 14.25 s. */
async function rateLimit(stage: Stage): Promise<void> {
  const all = `*/${stage.id(shop)}/*`;
  await stage.fault({ fault: "status", status: 429, retry_after: 7, path: all, count: 1 });
  await stage.pass(1_250);
  await stage.reconcile(shop);
  await stage.has('api_retries_total{reason="rate_limited"}', 1);
  const { sleeping } = stage.clock;
  await stage.reconcile(blog);
  await eventually("the blog waits", () => stage.clock.sleeping > sleeping || undefined);
  await stage.pass(7_250);
  await stage.attempted(14.25, blog, shop);
}

/** A sweep is due during another one, and while the process is paused. Ends after 105 s. */
async function lateSweeps(stage: Stage): Promise<void> {
  const settings = `*/${stage.id(shop)}/page_shield`;
  await stage.fault({ fault: "latency", milliseconds: 9_500, path: settings, count: 1 });
  await stage.pass(5_750);
  stage.sweep();
  await stage.slow(4);
  await stage.attempted(20, blog, brand);
  await stage.pass(9_000);
  await stage.has('schedule_missed_runs_total{reason="overlap"}', 1);
  await stage.pass(500);
  await stage.attempted(29.5, blog, brand);
  await stage.has('reconcile_total{trigger="schedule",result="in_sync"}', 1);
  await stage.pause(75_500, 28_500);
  await stage.attempted(105, blog, shop, brand);
  await stage.has('notifications_total{sink="pipeline",result="done"}', 1);
}

/** The files change more of the fleet than the limit allows, which counts for small fleets from now on. */
async function holdRevision(stage: Stage): Promise<void> {
  const { place } = stage.example;
  const config = await place.read("zonewarden.yaml");
  await place.write("zonewarden.yaml", `${config}limits: { min_fleet: 2 }\n`);
  stage.sweep();
  await stage.logs("configuration applied");
  await place.edit("zones/baseline.yaml", "score_threshold: medium", "score_threshold: high");
  stage.sweep();
  await stage.has('files_reloads_total{result="held"}', 1);
}

/** The running daemon, and what the story does to it. */
class Stage {
  readonly example: Example;
  readonly clock: SimulatedClock;
  readonly id: (zone: string) => string;
  readonly #slow: readonly number[];
  #daemon: Started | undefined;
  #page = "";

  constructor(
    example: Example,
    clock: SimulatedClock,
    slow: readonly number[],
    ids: ReadonlyMap<string, string>,
  ) {
    this.example = example;
    this.clock = clock;
    this.id = (zone) => ids.get(zone) ?? "";
    this.#slow = slow;
  }

  async begin(): Promise<void> {
    const { id } = this;
    const policies = `*/${id(shop)}/page_shield/policies`;
    await this.fault({ fault: "latency", milliseconds: 1_500, path: policies, count: 1 });
    for (const list of ["scripts", "connections", "cookies"]) {
      const items = `*/${id(brand)}/page_shield/${list}`;
      await this.fault({ fault: "status", status: 403, path: items });
    }
    await this.fault({ fault: "status", status: 403, path: `*/${id(blog)}/page_shield/cookies` });
    this.#daemon = this.example.place.start("run");
    this.#page = await pageOf(this.#daemon);
  }

  async end(): Promise<void> {
    this.sweep("SIGTERM");
    await this.#daemon?.ended;
  }

  /** How many requests the service saw. */
  get requests(): number {
    return this.example.emulator.journal().length;
  }

  fault(body: Readonly<Record<string, unknown>>): Promise<void> {
    return control(this.example, "faults", body);
  }

  edit(body: Readonly<Record<string, unknown>>): Promise<void> {
    return control(this.example, "edit", body);
  }

  sweep(signal: NodeJS.Signals = "SIGHUP"): void {
    this.#daemon?.signal(signal);
  }

  async logs(message: string): Promise<void> {
    if (this.#daemon !== undefined) await logged(this.#daemon, message);
  }

  async reconcile(zone: string): Promise<void> {
    const response = await fetch(`${this.#page}api/v1/reconcile?zone=${zone}`, {
      method: "POST",
      headers: { authorization: "Bearer reconcile-token" },
    });
    if (!response.ok) throw new Error(await response.text());
  }

  async scrape(): Promise<ReadonlyMap<string, number>> {
    return seriesIn(await (await fetch(`${this.#page}metrics`)).text());
  }

  /** Seconds since 1970 of a moment so many seconds after the start. */
  at(seconds: number): number {
    return start.getTime() / 1_000 + seconds;
  }

  /** Waits for the value of a series. */
  async has(series: string, value: number): Promise<void> {
    await eventually(`${series} ${value}`, async () =>
      (await this.scrape()).get(`zonewarden_${series}`) === value ? true : undefined,
    );
  }

  /** Waits until runs of these zones have ended so many seconds after the start. */
  async attempted(seconds: number, ...names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.has(
        `zone_last_attempt_timestamp_seconds{zone="${name}"}`,
        start.getTime() / 1_000 + seconds,
      );
    }
  }

  /** Waits until the emulator was slow so many times. */
  async slow(times: number): Promise<void> {
    await eventually(`${times} slow answers`, () => this.#slow.length === times || undefined);
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
  }

  /** Stops the process for a time; the timer of the schedule then has `timerMs` left. */
  async pause(ms: number, timerMs: number): Promise<void> {
    this.clock.step(ms);
    vi.setSystemTime(Date.now() + ms - timerMs);
    await vi.advanceTimersByTimeAsync(timerMs);
  }
}
