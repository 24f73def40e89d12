import { basePath } from "../../src/api/wire.ts";
import type { EmulatedZone } from "../../src/emulator/state.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { coerceObject, coerceText, parseJson } from "../../src/syntax/json.ts";
import { rulePhases } from "../../src/zone/rule-phase.ts";
import type { ZonePart } from "../../src/zone/write.ts";
import type { DeclaredContent, DeclaredZones } from "./declared.ts";
import type { Disturbance } from "./disturbances.ts";
import {
  customRulesetsOf,
  entryPointOf,
  objectsIn,
  ownedIn,
  wirePhases,
} from "./invariants/oracle.ts";
import type { ServiceRequest } from "./world/in-process-service.ts";
import type { SimulatedProcess } from "./world/simulated-process.ts";

/** Who sends requests: a daemon, or a command that only plans. */
export type Sender = SimulatedProcess | "plan";

/** A request that a process sent. */
export interface SentRequest {
  readonly number: number;
  readonly at: number;
  readonly sender: Sender;
  readonly method: string;
  /** Below the base path, without a query. */
  readonly path: string;
  /** Name of its zone; `undefined` where it is about no zone. */
  readonly zone: string | undefined;
  /** Of a request for rules, that of the ruleset in its path; the listing of rulesets shows the custom ones. */
  readonly part: ZonePart | undefined;
  readonly body: string;
  /** As the sender saw it; `uncertain`: the sender cannot know whether it took effect. */
  answer: "none" | "ok" | "refused" | "uncertain";
  /** How old the state was that it showed, in milliseconds. */
  staleMs: number;
  readonly effects: Effect[];
}

/** Something that a request stored. */
export interface Effect {
  readonly request: SentRequest;
  readonly at: number;
  readonly before: EmulatedZone;
  readonly after: EmulatedZone;
  /** The sender had given up on it, or it was delivered twice. */
  readonly isLate: boolean;
}

/** Somebody or something but the program itself touched a zone. */
export interface Interference {
  readonly at: number;
  readonly zone: string;
  readonly kind: "edit" | "late" | "stale";
}

export interface HeardReport {
  readonly at: number;
  readonly process: SimulatedProcess;
  readonly report: ZoneReport;
  /** The requests of its run. */
  readonly requests: readonly SentRequest[];
}

/** Everything that happened, as nobody in it could see it: what the invariants are judged by. */
export class Ledger {
  readonly requests: SentRequest[] = [];
  readonly effects: Effect[] = [];
  readonly reports: HeardReport[] = [];
  readonly interferences: Interference[] = [];
  /** What the files declared from when on: of broken files the last good version, and never what the fleet guard holds. */
  readonly declared: { readonly at: number; readonly zones: DeclaredZones }[] = [];
  /** What happened at whose request; `undefined`: at one that is about no zone. */
  readonly disturbed: { readonly zone: string | undefined; readonly does: Disturbance }[] = [];
  /** When a person accepted what the fleet guard held. */
  readonly accepted: number[] = [];
  /** The hashes of plans that a person released, each time. */
  readonly released: string[] = [];
  /** Since when an object has not been ours, as it is. */
  readonly #foreignSince = new Map<string, number>();
  readonly #zoneNames: ReadonlyMap<string, string>;
  /** The parts of all rulesets that there were, by id. */
  readonly #parts = new Map<string, ZonePart>();
  /** Requests since the last report, by process and zone. */
  readonly #running = new Map<SimulatedProcess, Map<string, SentRequest[]>>();

  constructor(zones: readonly EmulatedZone[]) {
    this.#zoneNames = new Map(zones.map(({ id, name }) => [id, name]));
    for (const zone of zones) this.#noteForeign(undefined, zone, Number.NEGATIVE_INFINITY);
  }

  send(at: number, sender: Sender, { method, target, body }: ServiceRequest): SentRequest {
    const [path = ""] = target.slice(basePath.length).split("?");
    const zoneId = /^\/zones\/([^/]+)\//.exec(path)?.[1];
    const request: SentRequest = {
      number: this.requests.length + 1,
      at,
      sender,
      method,
      path,
      zone: this.#zoneNames.get(zoneId ?? ""),
      part: this.#partOf(path, body),
      body,
      answer: "none",
      staleMs: 0,
      effects: [],
    };
    this.requests.push(request);
    if (sender !== "plan" && request.zone !== undefined) {
      this.#runOf(sender, request.zone).push(request);
    }
    return request;
  }

  /** What a request stored. */
  took(effect: Effect): void {
    const { request, before, after, at, isLate } = effect;
    request.effects.push(effect);
    this.effects.push(effect);
    this.#noteForeign(before, after, at);
    if (isLate) this.interferences.push({ at, zone: before.name, kind: "late" });
  }

  edited(at: number, before: EmulatedZone, after: EmulatedZone): void {
    if (before === after) return;
    this.#noteForeign(before, after, at);
    this.interferences.push({ at, zone: before.name, kind: "edit" });
  }

  heard(at: number, process: SimulatedProcess, report: ZoneReport): HeardReport {
    const requests = this.#runOf(process, report.zone);
    this.#running.get(process)?.delete(report.zone);
    const heard = { at, process, report, requests };
    this.reports.push(heard);
    return heard;
  }

  /** The requests of the run in progress. A plan of the first round is carried out on the reads with which it was made. */
  runningRequests(process: SimulatedProcess, zone: string): readonly SentRequest[] {
    const last = this.reports.findLast(
      (each) => each.process === process && each.report.zone === zone,
    );
    const planned = last?.report.result === "planned" ? last.requests : [];
    return [...planned, ...this.#runOf(process, zone)];
  }

  /** What was declared of a zone at any moment since then. */
  declaredSince(zone: string, since: number): readonly (DeclaredContent | undefined)[] {
    return this.declared
      .filter((_, index) => (this.declared[index + 1]?.at ?? Infinity) > since)
      .map(({ zones }) => zones[zone]);
  }

  declaredNow(zone: string): DeclaredContent | undefined {
    return this.declared.at(-1)?.zones[zone];
  }

  /** Whether anybody else touched a zone since then. */
  isDisturbed(zone: string, since = Number.NEGATIVE_INFINITY): boolean {
    return this.interferences.some((each) => each.zone === zone && each.at >= since);
  }

  /** Whether anybody but this process has written to a zone. */
  isWrittenByOthers(zone: string, process: SimulatedProcess, since: number): boolean {
    return this.effects.some(
      ({ at, before, request: { sender } }) =>
        at >= since && before.name === zone && sender !== process,
    );
  }

  /** The states of the processes whose writes a zone has. */
  statesOf(name: string): ReadonlySet<unknown> {
    const effects = this.effects.filter(({ before }) => before.name === name);
    return new Set(
      effects.map(({ request: { sender } }) => (sender === "plan" ? "" : sender.files)),
    );
  }

  /** Since when an object has not been ours, as it is; `undefined` where it is ours. */
  foreignSince(id: string): number | undefined {
    return this.#foreignSince.get(id);
  }

  #runOf(process: SimulatedProcess, zone: string): SentRequest[] {
    const zones = this.#running.get(process) ?? new Map<string, SentRequest[]>();
    this.#running.set(process, zones);
    const requests = zones.get(zone) ?? [];
    zones.set(zone, requests);
    return requests;
  }

  #noteForeign(before: EmulatedZone | undefined, after: EmulatedZone, at: number): void {
    const owned = ownedIn(after);
    const known = before === undefined ? undefined : objectsIn(before);
    for (const phase of rulePhases) {
      const id = entryPointOf(after, phase)?.id;
      if (id !== undefined) this.#parts.set(id, phase);
    }
    for (const { id } of customRulesetsOf(after)) this.#parts.set(id, "custom_rulesets");
    for (const [id, content] of objectsIn(after)) {
      if (owned.has(id)) this.#foreignSince.delete(id);
      else if (!this.#foreignSince.has(id) || known?.get(id) !== content) {
        this.#foreignSince.set(id, at);
      }
    }
  }

  #partOf(path: string, body: string): SentRequest["part"] {
    if (/^\/zones\/[^/]+\/page_shield$/.test(path)) return "settings";
    if (/\/page_shield\/policies(\/|$)/.test(path)) return "policies";
    const [, wire, id] =
      /\/rulesets\/(?:phases\/([^/]+)\/entrypoint|([^/]+)(?:\/rules(?:\/[^/]+)?)?)$/.exec(path) ??
      [];
    if (id !== undefined) return this.#parts.get(id);
    const { kind, phase: created } = coerceObject(parseJson(body));
    if (path.endsWith("/rulesets") && kind !== "zone") return "custom_rulesets";
    return rulePhases.find((phase) => wirePhases[phase] === (wire ?? coerceText(created)));
  }
}
