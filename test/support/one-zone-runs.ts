import { causesOf } from "../../src/plan/cause/cause.ts";
import type { Change } from "../../src/plan/change.ts";
import { digestOf } from "../../src/reconcile/fleet/desired-fleet.ts";
import { StayingZones } from "../../src/reconcile/fleet/staying-zones.ts";
import { ZoneRunner, type ZoneRunOptions } from "../../src/reconcile/run/zone-runner.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { SimulatedClock } from "./clock.ts";
import { emulated, type Emulated } from "./emulated.ts";
import { noPast } from "./revision-files.ts";
import { MemoryRunStore } from "./run-store.ts";
import { defaultOptions } from "./world.ts";

/** What becomes of the stored state while the process is restarted. */
export const statesAfter = ["kept", "lost", "torn", "forged"] as const;

type StateAfter = (typeof statesAfter)[number];

/** How the zone is run; by default as usual, on a clock of its own. */
interface OneZoneChoice extends Partial<ZoneRunOptions> {
  readonly clock?: SimulatedClock;
}

/** Runs of one zone of an emulator, in processes that follow each other with one state. */
export class OneZoneRuns implements AsyncDisposable {
  readonly at: Emulated;
  readonly store = new MemoryRunStore();
  readonly clock: SimulatedClock;
  readonly #options: ZoneRunOptions;
  #runner: ZoneRunner | undefined;
  #mode: "enforce" | "observe" = "enforce";
  readonly #never = new AbortController().signal;

  constructor(at: Emulated, { clock, ...others }: OneZoneChoice = {}) {
    this.at = at;
    this.clock = clock ?? new SimulatedClock();
    this.#options = { ...options, ...others };
  }

  /** Somebody says that the zone has changed. */
  distrustVersions(): void {
    this.#runner?.distrustVersions(this.at.zone.name);
  }

  /** One run of the declaration, in this mode. */
  async run(content: ZoneContent, mode: "enforce" | "observe"): Promise<ZoneReport> {
    if (this.#mode !== mode) this.#runner?.reconfigure({ ...this.#options, mode });
    this.#mode = mode;
    this.#runner ??= new ZoneRunner(
      { ...this.#options, mode },
      {
        reader: this.at.reader,
        writer: this.at.writer,
        clock: this.clock,
        runId: () => "run",
        random: () => 0.5,
        store: this.store,
        bug: (error) => {
          throw error;
        },
      },
      {
        waitOf: () => undefined,
        countWrite: () => undefined,
        decide: () => undefined,
        holdsOf: () => [],
        staying: new StayingZones(noPast(), () => 0),
      },
    );
    const zone = { desired: { zone: this.at.zone, content }, digest: digestOf(content) };
    const context = { trigger: "schedule", priority: "sweep", revision: "r" } as const;
    const signals = { stop: this.#never, abort: this.#never };
    return (await this.#runner.run(zone, context, signals)).report;
  }

  /** Ends the process and starts another one. */
  restart(state: StateAfter): void {
    this.#runner = undefined;
    for (const [zone, text] of this.store.texts) {
      this.store.texts.set(zone, stateTexts[state](text));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
  }
}

const stateTexts: Readonly<Record<StateAfter, (text: string) => string>> = {
  kept: (text) => text,
  lost: () => "",
  torn: (text) => text.slice(0, -2),
  forged: (text) => text.replaceAll("=", "==").replace("1 ", "2 "),
};

const options = {
  ...defaultOptions,
  limits: {
    ...defaultOptions.limits,
    maxDeleteShare: 1,
    maxUpdateShare: 1,
    minCompared: 1_000,
  },
};

/** An empty zone at an emulator. */
export async function oneZoneRuns(): Promise<OneZoneRuns> {
  return new OneZoneRuns(
    await emulated({ entitlements: { policies: 10 } }, { retry: { maxAttempts: 1 } }),
  );
}

/** The causes that a run found: `managed_rule/owasp drift(paranoia_level) pending(score_threshold)`; [] for a zone in sync. */
export function causesFound(report: ZoneReport): readonly string[] {
  if (report.result === "error") throw new Error(report.failure.message);
  return report.plan.changes.map(textOf);
}

/** What a run left undone, with the causes. */
export function causesLeft(report: ZoneReport): readonly string[] {
  return report.result === "applied" ? report.left.map(textOf) : [];
}

function textOf(change: Change): string {
  const parts = change.causes.map(({ cause, fields }) =>
    change.verb === "update" ? `${cause}(${fields.join(",")})` : cause,
  );
  const found = causesOf(change).length === 0 ? ["none"] : parts;
  return `${change.key} ${found.join(" ")}`;
}
