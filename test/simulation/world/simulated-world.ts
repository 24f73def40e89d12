import { commandRollout } from "../../../src/daemon/endpoints.ts";
import type { Reconciler } from "../../../src/reconcile/reconciler.ts";
import type { RolloutCommand } from "../../../src/state/asked-of-rollout.ts";
import {
  type DatabaseEvent,
  type FileEvent,
  isDatabaseEvent,
  isEdit,
  isFileEvent,
  isProcessEvent,
  isRefusalEvent,
  isRequestFault,
  isRolloutEvent,
  type ProcessEvent,
  refused,
  type RequestFault,
  type RolloutEvent,
  type SettingEvent,
} from "../disturbances.ts";
import type { Truth } from "../invariants/invariant.ts";
import { Judge } from "../invariants/judge.ts";
import { differencesOf } from "../invariants/oracle.ts";
import { Ledger, type Sender, type SentRequest } from "../ledger.ts";
import type { Schedule } from "../schedule.ts";
import { seeds, stories, waves } from "../stories.ts";
import { Editor } from "./editor.ts";
import { InProcessService } from "./in-process-service.ts";
import { Network } from "./network.ts";
import { planCommand } from "./plan-command.ts";
import { ProcessFiles } from "./process-files.ts";
import { SimulatedDatabase } from "./simulated-database.ts";
import { SimulatedFiles } from "./simulated-files.ts";
import type { Surroundings } from "./simulated-host.ts";
import { configOf, type ProcessWorld, SimulatedProcess } from "./simulated-process.ts";
import { SimulatedSettings } from "./simulated-settings.ts";
import { settle, settleAll, SimulatedTime } from "./simulated-time.ts";
import type { Sending } from "./simulated-transport.ts";

const minuteMs = 60_000;
/** A person needs so long to decide. */
const personMs = 1_000;

const commands = {
  rollout_pause: { name: "pause", zones: [] },
  rollout_resume: { name: "resume", zones: [] },
  rollout_promote: { name: "promote", zones: [] },
  rollout_abort: { name: "abort", zones: [] },
} as const satisfies Readonly<Record<RolloutEvent, RolloutCommand>>;

function waitingIn(reconciler: Reconciler): ReadonlySet<string> {
  return new Set((reconciler.waves ?? []).flatMap(({ waiting }) => waiting));
}

/** Daemons, zone files, a service, and all that a schedule lets happen to them, on one clock. */
export class SimulatedWorld {
  readonly time: SimulatedTime;
  readonly service: InProcessService;
  readonly ledger: Ledger;
  readonly network: Network;
  readonly editor: Editor;
  readonly files: SimulatedFiles;
  readonly settings: SimulatedSettings;
  readonly judge: Judge = new Judge(
    () => `at ${this.time.elapsed} ms, after ${this.ledger.requests.length} requests`,
  );
  main: SimulatedProcess;
  readonly #schedule: Schedule;
  readonly #processes: SimulatedProcess[] = [];
  readonly #internalErrors: string[] = [];
  #second: SimulatedProcess | undefined;
  readonly #promoted = new Set<string>();
  readonly #halted = new Map<string, ProcessFiles>();
  #isStateLost = false;
  #isHealed = false;
  #randoms = 0;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    // A batch takes turns of the event loop: time stands still meanwhile.
    this.time = new SimulatedTime(schedule.store === "database" ? settleAll : settle);
    this.service = new InProcessService(seeds[schedule.story], this.time.serviceClock);
    this.ledger = new Ledger(this.service.zones());
    this.network = new Network(this.time, this.service, this.ledger, (effect) =>
      this.judge.check((invariant) => invariant.onEffect?.(effect, this.truth)),
    );
    this.editor = new Editor(this.service, this.ledger, this.time);
    this.files = new SimulatedFiles(schedule.story);
    this.settings = new SimulatedSettings(schedule);
    this.#noteDeclared();
    this.main = this.#createProcess(this.#newFiles());
    this.time.hold(this.#start(this.main));
  }

  get truth(): Truth {
    return {
      ledger: this.ledger,
      now: this.time.elapsed,
      wall: this.time.wall,
      zones: this.service.zones(),
      zone: (name) => this.service.zoneNamed(name),
      mode: this.settings.mode,
      freeze: this.settings.freeze,
      waves: this.settings.current.rollout === undefined ? [] : waves,
      promoted: this.#promoted,
      halted: this.#halted,
      main: this.main,
      isStateLost: this.#isStateLost || this.#hasDatabaseLost,
      files: this.files,
      internalErrors: this.#internalErrors,
      timersOf: (process) => this.time.sleepersOf(process),
    };
  }

  requestSweep(): void {
    // A process that has not listed the zones yet asks for patience.
    if (this.#isHealed) void this.#command("rollout_resume");
    for (const process of this.#alive()) process.requestSweep("schedule");
  }

  /** Nothing disturbs any more: the files are as at first, what they name is there, and a second process ends. */
  async heal(): Promise<void> {
    this.#isHealed = true;
    this.#halted.clear();
    await this.#command("rollout_resume");
    this.network.heal();
    this.main.files.database?.heal();
    this.#changeFiles("files_first");
    this.editor.restore(this.files.declared);
    this.#configure("enforce");
    this.#configure("thaw");
    const second = this.#second;
    this.#second = undefined;
    if (second?.isAlive === true) await this.stop(second);
  }

  /** SIGTERM; resolves when the process has ended. */
  async stop(process: SimulatedProcess): Promise<void> {
    if (!process.isStopping) process.stop();
    await this.time.advance(2 * minuteMs, () => !process.isAlive);
    await settle();
    if (process.isAlive) this.judge.violate("stops", "it runs on two minutes after SIGTERM");
    this.judge.check((invariant) => invariant.atStop?.(process, this.truth));
  }

  /** A person looks at what a guard holds, and accepts it unless the files are a mistake. */
  #decide(process: SimulatedProcess): void {
    const { heldHash, heldPlan, isAlive, isStopping } = process;
    if (!isAlive || isStopping || this.files.areMistaken) return;
    const before = this.settings.current;
    if (heldHash !== undefined && this.settings.accept(heldHash)) {
      this.ledger.accepted.push(this.time.elapsed);
    }
    if (heldPlan?.isUsed === true) this.settings.withdraw(heldPlan.hash);
    else if (heldPlan !== undefined && this.settings.accept(heldPlan.hash)) {
      this.ledger.released.push(heldPlan.hash);
    }
    if (this.settings.current === before) return;
    for (const each of this.#alive()) each.reconfigure(this.settings.current);
  }

  #alive(): readonly SimulatedProcess[] {
    return this.#processes.filter(({ isAlive, isStopping }) => isAlive && !isStopping);
  }

  get #surroundings(): Surroundings {
    return {
      time: this.time,
      disk: this.files.disk,
      random: () => (this.#randoms += 0.381_966) % 1,
      isRunning: (pid) => this.#processes.some((each) => each.pid === pid && each.isAlive),
    };
  }

  #createProcess(files: ProcessFiles): SimulatedProcess {
    const world: ProcessWorld = {
      ...this.#surroundings,
      send: (from, sending) => this.#send(from, sending),
      report: (from, report) => {
        if (!from.isAlive) return;
        const heard = this.ledger.heard(this.time.elapsed, from, report);
        this.judge.check((invariant) => invariant.onReport?.(heard, this.truth));
        this.time.after(personMs, this.network, () => this.#decide(from));
      },
      internalError: (line) => this.#internalErrors.push(line),
    };
    const process = new SimulatedProcess(world, this.#processes.length + 1, files);
    this.#processes.push(process);
    return process;
  }

  async #start(process: SimulatedProcess): Promise<void> {
    process.start(this.settings.current);
    await settleAll();
  }

  #send(sender: Sender, sending: Sending): void {
    const isAlive = (): boolean => sender === "plan" || sender.isAlive;
    if (!isAlive()) return;
    const request = this.ledger.send(this.time.elapsed, sender, sending);
    this.judge.check((invariant) => invariant.onSend?.(request, this.truth));
    const isAborted = (): boolean => !isAlive() || sending.isAborted();
    const crash = (): void => void (sender !== "plan" && this.#kill(sender));
    this.time.after(0, this.network, () => {
      const fault = this.#disturb(request);
      // What happened just now may have ended the process: then it sends nothing.
      if (isAlive()) this.network.carry(request, { ...sending, isAborted }, fault, crash);
    });
  }

  /** Lets happen what the schedule says; gives what happens to the request itself. */
  #disturb(request: SentRequest): RequestFault | undefined {
    if (this.#isHealed) return undefined;
    let fault: RequestFault | undefined;
    for (const { at, does } of this.#schedule.steps) {
      if (at !== request.number) continue;
      this.ledger.disturbed.push({ zone: request.zone, does });
      if (isRequestFault(does)) fault ??= does;
      else if (isEdit(does)) {
        this.editor.edit(does, request.zone ?? stories[this.#schedule.story][0], request);
      } else if (isRefusalEvent(does)) this.network.refusal = refused[does];
      else if (isFileEvent(does)) this.#changeFiles(does);
      else if (isProcessEvent(does)) this.#disturbProcess(does);
      else if (isDatabaseEvent(does)) this.#disturbDatabase(does);
      else this.#decideOn(does);
    }
    return fault;
  }

  /** What a person decides. */
  #decideOn(event: RolloutEvent | SettingEvent): void {
    if (isRolloutEvent(event)) void this.#command(event);
    else this.#changeSetting(event);
  }

  /** The files of the first revision come back at the end: its rollout must not be aborted, as only another one ends that. */
  async #command(event: RolloutEvent): Promise<void> {
    const { files, term } = this.main;
    if (term === undefined || (event === "rollout_abort" && this.files.areAsFirst)) return;
    const revision = term.fleet.load?.revision ?? "";
    const asker = { by: "", from: "127.0.0.1" };
    const waited = waitingIn(term.reconciler);
    const { result } = await commandRollout(term, commands[event], revision, asker);
    if (result !== "done" && result !== "not_stored") return;
    const waiting = waitingIn(term.reconciler);
    if (event === "rollout_promote") {
      this.#notePromoted(waited.difference(waiting));
      return;
    }
    this.#halted.clear();
    // What is not stored, the next process does not know.
    if (event === "rollout_resume" || result === "not_stored") return;
    for (const zone of waiting) this.#halted.set(zone, files);
  }

  #notePromoted(zones: ReadonlySet<string>): void {
    for (const zone of zones) {
      this.#promoted.add(zone);
      this.#halted.delete(zone);
    }
  }

  #changeSetting(event: SettingEvent): void {
    if (event === "sweep") for (const process of this.#alive()) process.requestSweep("signal");
    else if (event === "token_revoked") this.network.isTokenRevoked = true;
    else if (event === "token_restored") this.network.isTokenRevoked = false;
    else if (event === "clock_forward") this.time.step(120 * minuteMs);
    else if (event === "clock_back") this.time.step(-120 * minuteMs);
    else this.#configure(event);
  }

  /** A new configuration, as a changed zonewarden.yaml gives it. */
  #configure(event: Parameters<SimulatedSettings["change"]>[0]): void {
    this.settings.change(event, this.time);
    for (const process of this.#alive()) process.reconfigure(this.settings.current);
  }

  get #hasDatabaseLost(): boolean {
    return this.#processes.some(({ files }) => files.database?.hasLost === true);
  }

  #newFiles(): ProcessFiles {
    const isShared = this.#schedule.store === "database";
    return new ProcessFiles(isShared ? new SimulatedDatabase(this.time) : undefined);
  }

  #disturbDatabase(event: DatabaseEvent): void {
    const { database } = this.main.files;
    if (database === undefined) return;
    if (event === "database_restored") this.#loseSome();
    database.disturb(event);
  }

  /** The store goes back: a command may be what is lost. */
  #loseSome(): void {
    this.#isStateLost = true;
    this.#halted.clear();
  }

  #disturbProcess(event: ProcessEvent): void {
    switch (event) {
      case "stop":
        this.#restart(this.main);
        return;
      case "kill_lost":
        this.#isStateLost = true;
        this.#kill(this.main, this.#newFiles());
        return;
      case "kill_torn":
        this.#loseSome();
        this.#kill(this.main);
        this.main.files.tear();
        return;
      case "second_start":
        this.#startSecond();
        return;
      case "second_stop":
        if (this.#second?.isStopping === false) this.#second.stop();
        return;
      case "plan_command":
        void this.#plan();
        return;
      case "same_state":
        this.time.hold(this.#startLocked());
    }
  }

  #startSecond(): void {
    if (this.#second?.isAlive === true) return;
    this.#isStateLost = true;
    this.#second = this.#createProcess(this.#newFiles());
    this.time.hold(this.#start(this.#second));
  }

  /** SIGTERM, and a new start with the same state when the process has ended. */
  #restart(process: SimulatedProcess): void {
    if (process.isStopping || !process.isAlive) return;
    process.stop();
    const startNext = async (): Promise<void> => {
      await settle();
      this.judge.check((invariant) => invariant.atStop?.(process, this.truth));
      this.main = this.#createProcess(process.files);
      await this.#start(this.main);
    };
    void process.ended.then(() => this.time.hold(startNext()));
  }

  #kill(process: SimulatedProcess, files: ProcessFiles = process.files): void {
    if (!process.isAlive) return;
    process.kill();
    // One that only tried to share the state does not start again.
    if (process !== this.main && process !== this.#second) return;
    this.#isStateLost ||= this.files.isNew(this.time.elapsed);
    const next = this.#createProcess(files);
    if (process === this.#second) this.#second = next;
    else this.main = next;
    this.time.after(1_000, this, () => this.time.hold(this.#start(next)));
  }

  async #plan(): Promise<void> {
    const send = (sending: Sending): void => this.#send("plan", sending);
    await planCommand(configOf(this.settings.current), this.#surroundings, send).catch((error) =>
      this.#internalErrors.push(String(error)),
    );
  }

  /** A process that finds its state in use must not go on; with a database, it waits as long as the other leads. */
  async #startLocked(): Promise<void> {
    const { files, isAlive, isStopping, term } = this.main;
    if (!isAlive || isStopping || term === undefined) return;
    const process = this.#createProcess(files);
    await this.#start(process);
    const isRefused = (): boolean => process.term === undefined;
    const check = (): void => {
      // Where the first was killed meanwhile, the second may start; it is no part of the schedule.
      if (this.main.term !== term) process.kill();
      else if (!isRefused()) this.judge.violate("one-process-a-state", "two use one state");
    };
    check();
    // Until then it may wait for renewals of the lock.
    this.time.after(40_000, this, () => {
      check();
      if (files.database !== undefined) process.kill();
      else if (process.isAlive) this.judge.violate("one-process-a-state", "it waits for the state");
    });
  }

  #changeFiles(event: FileEvent): void {
    // A mistake that takes nothing away changes no zone; and a fleet of one zone has no fleet guard.
    if (event === "files_mass" && !this.#isProtected) return;
    if (this.files.change(event, this.time.elapsed)) this.#filesChanged();
  }

  get #isProtected(): boolean {
    const declared = Object.entries(this.files.declared);
    const isAsDeclared = ([name, content]: (typeof declared)[number]): boolean =>
      differencesOf(this.service.zoneNamed(name), content).length === 0;
    return declared.length > 2 && declared.every(isAsDeclared);
  }

  #filesChanged(): void {
    this.#noteDeclared();
    for (const process of this.#alive()) process.filesChanged();
    // New files are parsed in turns of the event loop.
    this.time.hold(settleAll());
  }

  #noteDeclared(): void {
    this.#halted.clear();
    const { declared: zones } = this.files;
    const { declared } = this.ledger;
    if (declared.at(-1)?.zones !== zones) declared.push({ at: this.time.elapsed, zones });
  }
}
