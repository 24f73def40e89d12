import type { GatedZone, GateJudgement } from "../state/rollout-gate.ts";
import { errorText } from "../syntax/error-code.ts";
import { hourMs } from "../syntax/time-units.ts";
import type { Clock } from "../zone/ports.ts";
import { isAborted, loopUntil } from "../zone/signals.ts";
import type { Gate } from "../zone/wave.ts";
import type { ZoneName } from "../zone/zone.ts";
import { hoursCompleteAt } from "./hours.ts";
import { hoursOfSoak, judgeGate } from "./judge-gate.ts";
import { readSeries } from "./measured-series.ts";
import type { MeasurementReader } from "./measurement-store.ts";

export interface GateOptions {
  readonly limits: Gate;
  readonly soakMs: number;
}

export interface GatePorts {
  /** The zones to judge. */
  readonly gated: () => readonly GatedZone[];
  readonly judged: (judgements: ReadonlyMap<ZoneName, GateJudgement>) => void;
  readonly reader: Pick<MeasurementReader, "read">;
  /** The clock by which hours are counted, in milliseconds since the epoch; `undefined`: it is not known. */
  readonly serviceNow: () => number | undefined;
  readonly clock: Pick<Clock, "sleep">;
  readonly bug: (error: unknown, zone: string) => void;
}

const everyMs = 300_000;
/** Hours before the soak of which measurements may make up for hours that were not measured. */
const spareHours = 48;

/**
 * Judges every five minutes what was measured of the zones of a wave. An hour belongs to what is declared now if it began after
 * the zone was as declared, by the clock of the service: no jump of the clock here counts an hour of before. A zone that keeps
 * the gate, or whose soak goes on, is judged again when another hour is over.
 */
export class GateKeeper {
  readonly #options: GateOptions;
  readonly #ports: GatePorts;
  /** The last hour for which zones were judged, while nothing else than another hour changes what is found. */
  #judgedFor = new Map<ZoneName, number>();

  constructor(options: GateOptions, ports: GatePorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Works until `stop` aborts. Never rejects. */
  async runUntil(stop: AbortSignal): Promise<void> {
    const judgeNext = async (): Promise<void> => {
      await this.#ports.clock.sleep(everyMs, stop);
      await this.judge(stop);
    };
    await loopUntil(stop, judgeNext, (error) => this.#ports.bug(error, ""));
  }

  /** Judges the zones once. */
  async judge(stop: AbortSignal): Promise<void> {
    const nowMs = this.#ports.serviceNow();
    const now = nowMs === undefined ? undefined : new Date(nowMs);
    const zones = this.#ports.gated();
    const names = new Set(zones.map(({ name }) => name));
    for (const name of this.#judgedFor.keys()) if (!names.has(name)) this.#judgedFor.delete(name);
    const judgements = new Map<ZoneName, GateJudgement>();
    for (const zone of zones) {
      if (isAborted(stop)) return;
      const judgement = await this.#judgementOf(zone, now);
      if (judgement !== undefined) judgements.set(zone.name, judgement);
    }
    this.#ports.judged(judgements);
  }

  /** `undefined`: nothing can have changed. */
  async #judgementOf(
    { name, changed, appliedForMs }: GatedZone,
    now: Date | undefined,
  ): Promise<GateJudgement | undefined> {
    if (now === undefined) return { state: "unknown", why: "nothing was measured yet" };
    const { limits, soakMs } = this.#options;
    const end = hoursCompleteAt(now);
    if (this.#judgedFor.get(name) === end) return undefined;
    const hours = hoursOfSoak(soakMs);
    const applied = Math.ceil((Number(now) - appliedForMs) / hourMs);
    const since = new Date(Math.max(applied, end - hours - spareHours) * hourMs);
    try {
      const series = await readSeries(this.#ports.reader, name, since, now);
      const judgement = judgeGate(series, changed, limits, hours);
      const isSettled = judgement.state === "kept" || appliedForMs < soakMs;
      if (isSettled) this.#judgedFor.set(name, end);
      else this.#judgedFor.delete(name);
      return judgement;
    } catch (error) {
      const why = `the measurements cannot be read: ${errorText(error)}`;
      return { state: "unknown", why };
    }
  }
}
