import { AuditReader } from "../../src/api/audit-reader.ts";
import { everythingSeen } from "../../src/api/read/read-inventory.ts";
import { createInventory } from "../../src/api/service.ts";
import { DriftAuthors } from "../../src/audit/drift-authors.ts";
import { type RunHistory, startHistory } from "../../src/daemon/run-history.ts";
import { UnstoredLines } from "../../src/history/file/unstored-lines.ts";
import { nodeNamedFiles } from "../../src/host/named-files.ts";
import { digestOf } from "../../src/reconcile/fleet/desired-fleet.ts";
import { StayingZones } from "../../src/reconcile/fleet/staying-zones.ts";
import { readScripts, type ScriptSource } from "../../src/reconcile/inventory/read-scripts.ts";
import { ZoneRunner } from "../../src/reconcile/run/zone-runner.ts";
import type { JudgedTokenUse } from "../../src/state/audit-status.ts";
import { scriptRecordOf, type ScriptWatch } from "../../src/state/scripts/script-watch.ts";
import type { ScriptReading } from "../../src/state/scripts/watched-scripts.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import type { DeclaredScripts } from "../../src/zone/declared-scripts.ts";
import type { Mode } from "../../src/zone/desired-zone.ts";
import { Bugs } from "./bugs.ts";
import { SimulatedClock } from "./clock.ts";
import { type Emulated, emulated, everything } from "./emulated.ts";
import { fleetOf, shop, stepOf } from "./fleets.ts";
import { MemoryHistory } from "./history-files.ts";
import { book } from "./log-book.ts";
import { desiredZone } from "./model.ts";
import { declared as declaredZone } from "./reports.ts";
import { noPast } from "./revision-files.ts";
import { MemoryRunStore, noAuthors } from "./run-store.ts";
import { check, day } from "./watched.ts";
import { defaultOptions } from "./world.ts";

const files = { revision: "sha256-1", commit: "c0ffee" };
const { content } = desiredZone({ settings: [{ name: "enabled", value: true }] });

const ignore = (): undefined => undefined;

/** The shop on an emulator, with the parts of the daemon that run it, check its scripts and keep its history. */
export class EvidenceRuns implements AsyncDisposable {
  readonly at: Emulated;
  readonly store = new MemoryHistory();
  readonly bugs = new Bugs();
  readonly #clock: SimulatedClock;
  readonly #history: RunHistory;
  readonly #fleet = fleetOf(declaredZone(shop));
  readonly #authors: DriftAuthors;
  readonly #runner: ZoneRunner;
  readonly #stop = new AbortController().signal;
  #watch: ScriptWatch | undefined;
  #readUntil: Date;

  /** Starts half a day before the first day, with what the seed lets happen later. */
  static async start(...events: readonly JsonObject[]): Promise<EvidenceRuns> {
    const clock = new SimulatedClock(day(-0.5));
    const at = await emulated({ settings: { enabled: true }, events }, { clock });
    const store = new MemoryHistory();
    const host = {
      clock,
      uniqueId: () => "story",
      namedFiles: nodeNamedFiles,
      directory: ".",
    };
    const config = { maxAgeMs: 1e12, maxBytes: 1e9, signKey: undefined };
    const { logger } = book();
    const history = await startHistory(
      config,
      store,
      { unstored: new UnstoredLines() },
      logger,
      host,
      ignore,
      ignore,
    );
    return new EvidenceRuns(at, clock, history, store);
  }

  private constructor(
    at: Emulated,
    clock: SimulatedClock,
    history: RunHistory,
    store: MemoryHistory,
  ) {
    this.at = at;
    this.store = store;
    this.#clock = clock;
    this.#history = history;
    this.#readUntil = clock.now();
    const audit = new AuditReader(at.service);
    const log = {
      isOwn: ({ actor }: AuditEntry) => audit.isOwnToken(actor.tokenId),
      isCompleteSince: () => true,
    };
    this.#authors = new DriftAuthors(clock, log, () => "full", noAuthors);
    const ports = {
      reader: at.reader,
      writer: at.writer,
      clock,
      runId: () => "run",
      random: () => 0.5,
      store: new MemoryRunStore(),
      authors: this.#authors,
      recordBeforeWrite: history.recordBeforeWrite,
      bug: (error: unknown) => this.bugs.tell(error),
    };
    this.#runner = new ZoneRunner(defaultOptions, ports, {
      waitOf: () => undefined,
      countWrite: () => undefined,
      decide: () => undefined,
      holdsOf: () => [],
      staying: new StayingZones(noPast(), () => 0),
    });
  }

  /** Sets the clock to so many days after the first one, when all is written that happened before. */
  async moveTo(days: number): Promise<void> {
    await this.#clock.advance(0);
    this.#clock.step(Number(day(days)) - Number(this.#clock.now()));
  }

  /** Reads the audit log, and runs the zone, which declares that Page Shield is on. */
  async run(mode: Mode, tokenUses: readonly JudgedTokenUse[] = []): Promise<void> {
    const { zone } = this.at;
    const now = this.#clock.now();
    const window = { since: this.#readUntil, before: new Date(Number(now) + 1) };
    const read = await new AuditReader(this.at.service).readOf(zone, window, this.#stop);
    this.#readUntil = now;
    this.#authors.note(zone.name, read.entries);
    this.#runner.reconfigure({ ...defaultOptions, mode });
    const desired = { zone, content };
    const context = { trigger: "schedule", priority: "sweep", ...files } as const;
    const signals = { stop: this.#stop, abort: this.#stop };
    const fleetZone = { desired, digest: digestOf(content) };
    const { report } = await this.#runner.run(fleetZone, context, signals);
    this.#history.subscriber.zone({ ...stepOf(this.#fleet, report), tokenUses });
  }

  /** Reads the inventory as the daemon does, and checks the scripts of the shop. */
  async look(declared: DeclaredScripts): Promise<ScriptWatch> {
    const { service, reader, zone } = this.at;
    const inventory = createInventory(service);
    const items = await inventory.list(zone, "script", everythingSeen("script"), this.#stop);
    const scripts = items.filter((item) => item.kind === "script");
    const live = await reader.readZone(zone, everything, "inventory", this.#stop);
    const source: ScriptSource = {
      readAnswers: (...asked) => reader.readAnswers(...asked),
      listScriptsOn: (...asked) => inventory.listScriptsOn(...asked),
      readScript: (...asked) => inventory.readScript(...asked),
    };
    const now = this.#clock.now();
    const watch = this.#watch;
    const reading = await readScripts(declared, scripts, live, watch, now, source, this.#stop);
    return this.check(declared, reading);
  }

  /** Checks the scripts of the shop. */
  check(declared: DeclaredScripts, reading: ScriptReading): ScriptWatch {
    const now = this.#clock.now();
    const result = check(declared, reading, now, this.#watch);
    const record = scriptRecordOf(result, { at: now, zone: shop, ...files });
    if (record !== undefined) this.#history.recordScripts(record);
    this.#watch = { ...result.watch, ...(record?.read !== undefined && { recordedAt: now }) };
    return this.#watch;
  }

  /** The bytes of the history at its end. */
  async history(): Promise<Buffer> {
    await this.#history[Symbol.asyncDispose]();
    return this.store.bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.bugs.expectNone();
    await this.at[Symbol.asyncDispose]();
  }
}
