import { isDeepStrictEqual } from "node:util";

import type { Change } from "../../plan/change.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import type { RolloutAnswer, RolloutCommand } from "../../state/asked-of-rollout.ts";
import type {
  RolloutHalt,
  RolloutStatus,
  WaveStatus,
  ZoneOfWave,
} from "../../state/load-report.ts";
import type { GatedZone, GateStatus, GateJudgement } from "../../state/rollout-gate.ts";
import { type Asker, type RolloutTurn, nameOfRevision } from "../../state/rollout-turn.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { isConverged } from "../../state/summary.ts";
import { compareText } from "../../syntax/by-text.ts";
import { firstOf } from "../../syntax/first-of.ts";
import type { Clock } from "../../zone/ports.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import type { RolloutSettings } from "../../zone/wave.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { ComparedChanges } from "../run/plan-zone.ts";
import {
  type DesiredFleet,
  digestOf,
  type FleetZone,
  type InForce,
  type StoredGone,
  type StoredHalt,
  type StoredRollout,
  type WaitingDeclaration,
} from "./desired-fleet.ts";
import type { FleetPast } from "./fleet-past.ts";
import { RolloutTurns } from "./rollout-turns.ts";
import { withSuspensionOf } from "./suspension-overlay.ts";
import { changesInWaves, stepWaveOf, wavesOf } from "./waves.ts";

/** What is declared now, and what was in force before. */
export interface Declaration {
  /** Hash of the active revision. */
  readonly revision: string;
  readonly fleet: DesiredFleet;
  /** Zones that are declared and not listed, each with the digest of what is declared; `undefined`: only a listing tells. */
  readonly absent: ReadonlyMap<ZoneName, string | undefined>;
  /** Whether each credential has listed its zones. */
  readonly isAllListed: boolean;
  /** Whether the revision becomes active now. */
  readonly isNew: boolean;
  /** What was in force in a zone before; `undefined`: nothing, or it is not known. */
  readonly before: (name: ZoneName) => InForce | undefined;
  /** What a revision declares of a zone that was active before this process began; `undefined`: that is not known. */
  readonly restored: (name: ZoneName, hash: string) => InForce | undefined;
}

/** The rollout after a load. */
export interface RolloutView {
  /** What happened since the load before. */
  readonly turns: readonly RolloutTurn[];
  /** `undefined`: no zone waits for its wave. */
  readonly status: RolloutStatus | undefined;
  /** What the next process has to know; `undefined`: there are no waves, or it is not known which zones wait. */
  readonly stored: StoredRollout | undefined;
}

export interface RolloutPorts {
  readonly clock: Pick<Clock, "now" | "monotonicMs">;
  readonly past: Pick<FleetPast, "wasInForce" | "leftForce">;
  readonly halts: HaltStore;
  /** Whether it is remembered what was applied to a zone. */
  readonly isKnown: (zone: ZoneName) => boolean;
  /** Is called when another zone may go, or does not wait any more. */
  readonly changed: () => void;
}

/** What a person made of a rollout, beyond the end of the process. */
export interface HaltStore {
  /** `undefined`: it goes on. */
  rolloutHalt(): StoredHalt | undefined;
  setRolloutHalt(halt: StoredHalt | undefined): void;
}

/** A zone that waits. */
interface Waiting {
  /** What is in force until it goes; `undefined`: that is not known, and its plans are held. */
  readonly before: InForce | undefined;
  /** What is declared. */
  readonly next: FleetZone;
  /** Whether a run has found changes that go out in waves. */
  readonly isDecided: boolean;
  /** What of them is counted. */
  readonly changed: readonly ResourceKey[];
}

/** What was in force in a zone, which may have been active before this process began. */
interface Former {
  /** Of the revision that declares it; "": that is not known. */
  readonly hash: string;
  /** Left out: only the files of that revision tell. */
  readonly before?: InForce | undefined;
}

/** A zone that went. It is settled when it was seen as declared. */
interface Gone {
  readonly former: string;
  /** What is in force again if another revision comes before it was seen. */
  readonly before: Former;
  /** What was in force before the rollout. */
  readonly origin: Former;
  /** Of what is declared; "": that is not known yet. */
  readonly digest: string;
  /** When it was seen as declared, by the monotonic clock. */
  readonly appliedMs: number | undefined;
  /** The same as it is stored, in milliseconds since the epoch. */
  readonly appliedAt?: number | undefined;
  /** The policies and rules that were changed when its wave began. */
  readonly changed: readonly ResourceKey[];
  /** What the measurements say of them; left out: nothing yet. */
  readonly judgement?: GateJudgement;
}

/** Rounded up: the two clocks never agree for long, and each load would give another moment. */
function inWholeMinutes(ms: number): number {
  return Math.ceil(ms / 60_000) * 60_000;
}

/** How far the waves have come. */
interface Progress extends Pick<RolloutStatus, "wave" | "unsettled"> {
  /** Zones of the wave that keep its gate shut, and have soaked or are over a limit. */
  readonly gate: GateStatus | undefined;
  /** How long the next wave waits for nothing but time, in milliseconds; `undefined`: it waits for zones, or none follows. */
  readonly soakLeftMs: number | undefined;
}

/**
 * Lets the changes of a revision reach the zones wave by wave. Until it goes, a zone is reconciled against what was in force
 * before, and drift from that is corrected.
 *
 * - A zone that is declared otherwise waits. A run that finds it as it was in force shows what the new declaration changes: if
 *   nothing of that goes out in waves, the zone goes at once. It waits or goes as a whole, as a plan is carried out whole.
 * - Otherwise, it goes when its wave has begun: when no zone of an earlier wave waits, each that went was seen as declared, and
 *   the soak has passed since the last of them was.
 *
 * So a wave in which nothing waits takes no time, and a newer revision takes over zone by zone: it begins with the first wave
 * in which it changes anything, and zones that still wait keep what is in force there. What was in force before a rollout, or
 * within a day, does not wait, nor what only suspends a zone. Where it is not known what is in force (a new zone, a lost
 * store), the plan of the zone is held until its wave begins.
 *
 * With a gate, a wave that has soaked waits until the measurements of each zone of it keep the gate ({@link judge}). A zone of
 * which only settings were changed, or something was deleted, has nothing that is counted.
 *
 * A person may halt it. While it is paused, no zone goes that goes out in waves, and the soak goes on. When it is aborted, each
 * zone of which it changed anything goes back to what was in force before, with all guards of a change; it waits with all
 * others until another revision is active. A pause outlasts a newer revision, and ends with the rollout. The next process knows
 * of both even if it does not know which revision was active, or which zones waited.
 *
 * The soak is measured by the monotonic clock: no jump of the clock on the wall begins a wave. Only the time between two
 * processes is taken from the clock on the wall; where that was set back, the soak begins again.
 */
export class Rollout {
  readonly #settings: RolloutSettings | undefined;
  readonly #ports: RolloutPorts;
  readonly #waiting = new Map<ZoneName, Waiting>();
  /** Zones that wait and are not listed. */
  readonly #absent = new Map<ZoneName, Former>();
  readonly #gone = new Map<ZoneName, Gone>();
  readonly #turns = new RolloutTurns();
  /** Zones that were declared and listed in this process. */
  readonly #seen = new Set<ZoneName>();
  /** Whether it is not known which zones waited when the process before this one ended. */
  #isLost = true;
  #revision = "";
  #isAllListed = false;
  /** What a person made of it. */
  #halted: StoredHalt | undefined;
  /** What is declared of the zones that are listed. */
  #fleet: DesiredFleet["zones"] = new Map();
  /** Whether the active revision was active before this process began. */
  #isOlder = true;
  #declared: ReadonlySet<ZoneName> = new Set();
  #waves: ReadonlyMap<ZoneName, number> = new Map();

  /** @param settings `undefined`: no zone waits. */
  constructor(settings: RolloutSettings | undefined, ports: RolloutPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#halted = ports.halts.rolloutHalt();
  }

  get #halt(): RolloutHalt | undefined {
    return this.#halted?.halt;
  }

  #setHalt(halt: RolloutHalt | undefined): void {
    this.#halted = halt && { revision: this.#revision, halt };
    this.#ports.halts.setRolloutHalt(this.#halted);
  }

  /** Goes on where the process before this one was. */
  restore({ revision, waiting, gone }: StoredRollout): void {
    this.#isLost = false;
    this.#revision = revision;
    if (waiting.size + gone.size > 0 && this.#halt !== "aborted") this.#turns.restore(revision);
    const { clock } = this.#ports;
    for (const [name, hash] of waiting) {
      // What the active revision declares is not in force in a zone that waits for it.
      this.#absent.set(name, { hash: hash === revision ? "" : hash });
    }
    for (const [name, { former, hash, origin, appliedAt, changed }] of gone) {
      const passedMs = appliedAt === undefined ? 0 : Math.max(0, Number(clock.now()) - appliedAt);
      const appliedMs = appliedAt === undefined ? undefined : clock.monotonicMs() - passedMs;
      const before = { before: { hash }, origin: { hash: origin } };
      this.#gone.set(name, { former, ...before, digest: "", appliedMs, appliedAt, changed });
    }
  }

  /** What is to be stored; the moments in it are stored as they are until they are another minute. */
  #toStore(): StoredRollout | undefined {
    if (this.#settings === undefined || this.#isLost) return undefined;
    const absent = [...this.#absent].map(([name, { hash }]) => [name, hash] as const);
    const waiting = [...this.#waiting].map(
      ([name, { before }]) => [name, before?.revision.hash ?? ""] as const,
    );
    const gone = new Map<ZoneName, StoredGone>();
    for (const [name, each] of this.#gone) {
      const { former, before, origin, changed } = each;
      const appliedAt = this.#momentToStore(each);
      if (appliedAt !== each.appliedAt) this.#gone.set(name, { ...each, appliedAt });
      gone.set(name, { former, hash: before.hash, origin: origin.hash, appliedAt, changed });
    }
    return { revision: this.#revision, waiting: new Map([...absent, ...waiting]), gone };
  }

  /** The stored moment stays while the clocks agree to a minute: each restart would else put the next wave off by one. */
  #momentToStore({ appliedMs, appliedAt }: Gone): number | undefined {
    if (appliedMs === undefined) return undefined;
    const at = Number(this.#ports.clock.now()) - (this.#nowMs - appliedMs);
    if (appliedAt !== undefined && Math.abs(appliedAt - at) <= 60_000) return appliedAt;
    return inWholeMinutes(at);
  }

  /** The files that are loaded become active, or are: those of another revision end an abort. */
  activate(revision: string): void {
    if (this.#halt === "aborted" && this.#halted?.revision !== revision) this.#setHalt(undefined);
  }

  /** Takes in what is declared now: zones that are declared otherwise wait from now on. */
  declare(declaration: Declaration): void {
    if (this.#settings === undefined) return;
    const { revision, fleet, absent, isAllListed, isNew } = declaration;
    this.#revision = revision;
    const declared = new Set([...fleet.zones.keys(), ...absent.keys()]);
    // A zone that a credential does not show for a while is still declared.
    this.#declared = isNew ? declared : this.#declared.union(declared);
    this.#isAllListed = isAllListed;
    this.#fleet = fleet.zones;
    if (isNew) {
      this.#isOlder = false;
      for (const [name, digest] of absent) this.#declareAbsent(name, digest, declaration);
    }
    this.#waves = wavesOf(this.#settings.waves, this.#declared);
    for (const [name, zone] of fleet.zones) {
      const waiting = this.#waiting.get(name);
      if (waiting === undefined) this.#declareZone(name, zone, declaration);
      else if (waiting.next.digest !== zone.digest) this.#wait(name, waiting.before, zone);
      else this.#waiting.set(name, { ...waiting, next: zone });
      this.#seen.add(name);
      this.#redeclareGone(name, zone, declaration);
    }
    if (this.#isLost && isAllListed) {
      // What was lost is found when all zones are listed. The others wait when they are.
      for (const name of absent.keys()) {
        if (this.#ports.isKnown(name)) this.#absent.set(name, { hash: "" });
      }
      this.#isLost = false;
      this.#isOlder = false;
    }
    this.begin();
  }

  #declareZone(name: ZoneName, next: FleetZone, declaration: Declaration): void {
    // Another revision that leaves the zone as it was declared takes nothing over.
    const isSameAgain = isSame(declaration.before(name), next);
    const former = this.#absent.get(name) ?? (isSameAgain ? undefined : this.#formerOf(name));
    this.#absent.delete(name);
    if (former !== undefined) {
      this.#wait(name, former.before ?? declaration.restored(name, former.hash), next);
    } else if (this.#isLost && !this.#seen.has(name)) this.#wait(name, undefined, next);
    else {
      const before = declaration.before(name);
      // It was in force with its revision, if it is remembered what was applied to the zone.
      const isInForce = before === undefined && this.#isOlder && this.#ports.isKnown(name);
      if (!isInForce) this.#wait(name, before, next);
    }
  }

  /** What was in force before a zone went, if it was not seen as declared since. */
  #formerOf(name: ZoneName): Former | undefined {
    const gone = this.#gone.get(name);
    return gone?.appliedMs === undefined ? gone?.before : undefined;
  }

  /** A zone that is not listed is changed when it is listed again: it waits from now on. */
  #declareAbsent(name: ZoneName, digest: string | undefined, { before }: Declaration): void {
    if (this.#waiting.has(name) || this.#absent.has(name)) return;
    const inForce = before(name);
    if (inForce === undefined ? !this.#ports.isKnown(name) : inForce.digest === digest) return;
    const known = { hash: inForce?.revision.hash ?? "", before: inForce };
    this.#absent.set(name, this.#formerOf(name) ?? known);
  }

  /** A zone that is only observed takes no part: it would never be seen as declared. */
  #redeclareGone(
    name: ZoneName,
    { desired, digest }: FleetZone,
    { restored }: Pick<Declaration, "restored">,
  ): void {
    const gone = this.#gone.get(name);
    if (gone === undefined) return;
    const { hash, before = restored(name, hash) } = gone.origin;
    if (desired.content.mode === "observe" && gone.appliedMs === undefined) this.#gone.delete(name);
    else this.#gone.set(name, { ...gone, origin: { hash, before }, digest });
  }

  /** Lets a zone wait, unless the new declaration is for all zones at once. */
  #wait(name: ZoneName, before: InForce | undefined, next: FleetZone): void {
    this.#waiting.delete(name);
    if (next.desired.content.mode === "observe" || isSame(before, next)) return;
    const isFormer = before !== undefined && this.wasInForce(name, next.digest);
    if (isFormer && this.#halt !== "aborted") this.#go(name, before, next);
    else this.#waiting.set(name, { before, next, isDecided: false, changed: [] });
  }

  /** Whether a declaration of a zone was in force within a day, or before the rollout. */
  wasInForce(name: ZoneName, digest: string): boolean {
    return (
      this.beforeOf(name)?.digest === digest ||
      this.#gone.get(name)?.former === digest ||
      this.#ports.past.wasInForce(name, digest)
    );
  }

  /** What is in force in a zone that waits; `undefined`: the zone does not wait, or that is not known. */
  beforeOf(name: ZoneName): InForce | undefined {
    return this.#waiting.get(name)?.before;
  }

  isWaiting(name: ZoneName): boolean {
    return this.#waiting.has(name);
  }

  /** A fleet as it is declared, with what is in force in each zone. Suspensions that are declared are in force at once. */
  inForce(fleet: DesiredFleet): DesiredFleet {
    if (this.#waiting.size === 0) return fleet;
    const reason = this.#reason;
    const zones = [...fleet.zones].map(([name, zone]): [ZoneName, FleetZone] => {
      const waiting = this.#waiting.get(name);
      if (waiting === undefined) return [name, zone];
      return [name, zoneInForce(zone, waiting, this.#holdOf(name, reason))];
    });
    return { ...fleet, zones: new Map(zones) };
  }

  /** Takes in what a live zone needs for what is in force, and for the declaration that waits. */
  decide({ desired, wave }: FleetZone, { toInForce, toWaiting }: ComparedChanges): void {
    const { name } = desired.zone;
    const waiting = this.#waiting.get(name);
    if (wave === undefined || waiting?.next.digest !== wave.digest) return;
    // While the zone has drifted, its changes are not those of the new declaration alone.
    const isPure = wave.isHeld || toInForce.length === 0 || toWaiting.length === 0;
    const isFree = isPure && this.#inWaves(toWaiting).length === 0;
    if (isFree && this.#halt !== "aborted") {
      this.#waiting.delete(name);
      this.#free(name, waiting);
      this.#ports.changed();
    } else if (!waiting.isDecided) {
      this.#waiting.set(name, { ...waiting, isDecided: true, changed: countedIn(toWaiting) });
      if (this.#waveOf(name) <= this.#progress.wave) this.#ports.changed();
    }
  }

  /**
   * Nothing that goes out in waves is left to do in a zone. Where it is not known what was in force, that may have been done
   * just before.
   */
  #free(name: ZoneName, { before, next: { digest } }: Waiting): void {
    if (before !== undefined) this.#ports.past.leftForce(name, before.digest);
    const isUnknown = before === undefined && !this.#gone.has(name);
    const gone = isUnknown ? goneWithout(before, undefined) : this.#gone.get(name);
    if (gone === undefined || gone.appliedMs !== undefined) return;
    this.#gone.set(name, { ...gone, before: { hash: "" }, digest, appliedMs: this.#nowMs });
  }

  /** Takes in the result of a run: a zone that went may be as declared now. */
  record({ desired, digest, wave }: FleetZone, report: ZoneReport): void {
    const { name } = desired.zone;
    const gone = this.#gone.get(name);
    if (gone?.digest !== digest || gone.appliedMs !== undefined) return;
    if (wave !== undefined || !isConverged(report)) return;
    this.#gone.set(name, { ...gone, before: { hash: "" }, appliedMs: this.#nowMs });
    this.#ports.changed();
  }

  /** Why a zone is not written; `undefined`: what it is planned against is in force. */
  waitOf({ desired, wave }: FleetZone): string | undefined {
    const waiting = this.#waiting.get(desired.zone.name);
    return waiting?.next.digest === wave?.digest
      ? undefined
      : "what is in force in the zone has changed, and the zone is planned again";
  }

  /** Holds a plan that goes out in waves, where it is not known what is in force. */
  holdsOf({ desired }: FleetZone, plan: Plan): readonly Hold[] {
    const { name } = desired.zone;
    const waiting = this.#waiting.get(name);
    if (waiting === undefined || waiting.before !== undefined) return [];
    if (this.#inWaves(plan.changes).length === 0) return [];
    return [this.#holdOf(name, this.#reason)];
  }

  #holdOf(name: ZoneName, reason: string): Hold {
    const { waves = [] } = this.#settings ?? {};
    const message = `the zone waits for wave ${this.#waveOf(name)} of ${waves.length}: ${reason}${this.#replacing}`;
    return { reason: "wave", message };
  }

  /** Which revision a person should look for where two rollouts meet. */
  get #replacing(): string {
    const { replaced } = this.#turns;
    if (replaced === undefined) return "";
    const [next, former] = [this.#revision, replaced].map((hash) => nameOfRevision(hash));
    return `; revision ${next} replaces ${former}, whose rollout had not ended`;
  }

  get #reason(): string {
    if (this.#halt !== undefined) return haltReasons[this.#halt];
    const { wave, unsettled, soakLeftMs, gate } = this.#progress;
    if (gate !== undefined && soakLeftMs === undefined) {
      return `wave ${wave} has soaked, and its gate is not kept: ${gateText(gate)}`;
    }
    if (soakLeftMs === undefined) return `wave ${wave} is not applied in ${firstOf(unsettled, 3)}`;
    const at = this.#momentIn(soakLeftMs).toISOString();
    return `wave ${wave} is applied, and the next one begins at ${at}`;
  }

  /** Where the rollout is, and what it did since the last call. */
  view(): RolloutView {
    const { wave, gate } = this.#progress;
    const turns = this.#turns.take({
      revision: this.#revision,
      isAborted: this.#halt === "aborted",
      isWaiting: [...this.#waiting.values()].some(({ isDecided }) => isDecided),
      isOver: this.#isOver,
      over: gate && gate.over > 0 ? { wave, zones: gate.over, why: gateText(gate) } : undefined,
    });
    return { turns, status: this.status, stored: this.#toStore() };
  }

  /** `undefined`: no zone waits, and each that went was seen as declared. */
  get status(): RolloutStatus | undefined {
    if (this.#settings === undefined || this.#isOver) return undefined;
    const waiting = new Map<number, number>();
    for (const name of this.#waiting.keys()) {
      const wave = this.#waveOf(name);
      waiting.set(wave, (waiting.get(wave) ?? 0) + 1);
    }
    const { wave, unsettled, soakLeftMs, gate } = this.#progress;
    const isSoaking = soakLeftMs !== undefined && this.#halt === undefined;
    return {
      state: this.#halt ?? "running",
      wave,
      waves: this.#settings.waves.length,
      unsettled: this.#halt === "aborted" ? [] : unsettled,
      nextAt: isSoaking ? this.#momentIn(soakLeftMs) : undefined,
      waiting,
      replaced: this.#turns.replaced,
      gate,
    };
  }

  /** Where each zone of each wave is; `undefined`: there is no rollout. */
  get waves(): readonly WaveStatus[] | undefined {
    if (this.#settings === undefined || this.#isOver) return undefined;
    const members = Map.groupBy([...this.#declared].toSorted(compareText), (name) =>
      this.#waveOf(name),
    );
    return this.#settings.waves.map((_, nth) => {
      const states = Map.groupBy(members.get(nth + 1) ?? [], (name) => this.#stateOf(name));
      const named = (state: ZoneOfWave): readonly ZoneName[] => states.get(state) ?? [];
      return {
        wave: nth + 1,
        waiting: named("waiting"),
        changing: named("changing"),
        applied: named("applied"),
        unchanged: named("unchanged"),
      };
    });
  }

  #stateOf(name: ZoneName): ZoneOfWave {
    if (this.#waiting.has(name) || this.#absent.has(name)) return "waiting";
    const gone = this.#gone.get(name);
    if (gone === undefined) return "unchanged";
    return gone.appliedMs === undefined ? "changing" : "applied";
  }

  /** Does what a person asks. The zones that it concerns are planned again. */
  command(command: RolloutCommand, asker: Asker): RolloutAnswer {
    if (this.#settings === undefined) return { result: "no_rollout" };
    // Before the first listing, it is not known what is in force in any zone.
    if (this.#declared.size === 0) return { result: "not_listed" };
    if (this.#isOver) return { result: "no_rollout" };
    const answer = this.#do(command);
    if (answer.result !== "done") return answer;
    const turn = commandTurns[command.name];
    const isOfZones = command.name === "promote" || command.name === "abort";
    this.#turns.add({ turn, ...(isOfZones && { zones: answer.zones.length }), ...asker });
    this.begin();
    return answer;
  }

  #do(command: RolloutCommand): RolloutAnswer {
    if (this.#halt === "aborted") {
      return { result: command.name === "abort" ? "as_before" : "aborted" };
    }
    switch (command.name) {
      case "pause":
        return this.#turn("paused");
      case "resume":
        return this.#turn(undefined);
      case "promote":
        return command.zones.length === 0 ? this.#promoteWave() : this.#promote(command.zones);
      case "abort":
        return this.#abort();
    }
  }

  #turn(halt: "paused" | undefined): RolloutAnswer {
    if (this.#halt === halt) return { result: "as_before" };
    this.#setHalt(halt);
    return { result: "done", zones: [], left: [] };
  }

  /** The next wave is the first in which a zone waits that would go if the wave began. */
  #promoteWave(): RolloutAnswer {
    const declared = [...this.#waiting].filter(([name]) => this.#declared.has(name));
    const decided = declared.filter(([, { isDecided }]) => isDecided);
    if (decided.length === 0) return { result: "not_planned" };
    const next = Math.min(...decided.map(([name]) => this.#waveOf(name)));
    return this.#promote(declared.flatMap(([name]) => (this.#waveOf(name) === next ? [name] : [])));
  }

  #promote(zones: readonly ZoneName[]): RolloutAnswer {
    const others = zones.filter((name) => !this.#waiting.has(name) || !this.#declared.has(name));
    if (others.length > 0) return { result: "not_waiting", zones: others };
    for (const name of zones) this.#letGo(name);
    return { result: "done", zones, left: [] };
  }

  /**
   * Zones that went wait again, with what was in force before the rollout. What they leave was never in force for good: if it
   * is declared again, it goes out in waves. For those that it has to leave as they are, the next revision waits as well.
   */
  #abort(): RolloutAnswer {
    const [zones, left]: [ZoneName[], ZoneName[]] = [[], []];
    for (const [name, { origin }] of this.#gone) {
      const next = this.#fleet.get(name);
      const { before, hash } = origin;
      const isLeft =
        next === undefined
          ? this.#declared.has(name) && hash === ""
          : before === undefined || before.desired.content.mode === "observe";
      if (isLeft) {
        left.push(name);
        continue;
      }
      this.#gone.delete(name);
      if (next === undefined) {
        if (this.#declared.has(name)) this.#absent.set(name, origin);
      } else if (isSame(before, next)) this.#waiting.delete(name);
      else {
        this.#waiting.set(name, { before, next, isDecided: true, changed: [] });
        zones.push(name);
      }
    }
    this.#setHalt("aborted");
    return { result: "done", zones, left };
  }

  /** How long to wait until the next wave begins, in milliseconds; `undefined`: no wave waits for time. */
  get soakLeftMs(): number | undefined {
    return this.#isOver || this.#halt !== undefined ? undefined : this.#progress.soakLeftMs;
  }

  /** In whole minutes, as moments are stored: else each load would give another one. */
  #momentIn(ms: number): Date {
    return new Date(inWholeMinutes(Number(this.#ports.clock.now()) + ms));
  }

  get #progress(): Progress {
    const last = this.#settings?.waves.length ?? 0;
    const { soakMs = 0 } = this.#settings ?? {};
    const unsettledIn = Map.groupBy(this.#unsettled, (name) => this.#waveOf(name));
    const goneIn = Map.groupBy(this.#gone, ([name]) => this.#waveOf(name));
    const isWaiting = (name: ZoneName): boolean =>
      this.#waiting.has(name) || this.#absent.has(name);
    const unsettled: ZoneName[] = [];
    /** When the last zone was settled, by the monotonic clock. */
    let settledMs = -Infinity;
    for (let wave = 1; ; wave += 1) {
      unsettled.push(...(unsettledIn.get(wave) ?? []));
      if (wave >= last) return { wave, unsettled, soakLeftMs: undefined, gate: undefined };
      for (const [, { appliedMs = -Infinity }] of goneIn.get(wave) ?? []) {
        settledMs = Math.max(settledMs, appliedMs);
      }
      // Whatever this wave waits for, the next one has begun: no zone of them waits, and some of it went.
      const both = [...unsettled, ...(unsettledIn.get(wave + 1) ?? [])];
      if (goneIn.has(wave + 1) && !both.some(isWaiting)) continue;
      const isApplied = unsettled.length === 0;
      const leftMs = settledMs + soakMs - this.#nowMs;
      const hasSoaked = isApplied && leftMs <= 0;
      const gate = this.#gateOf(wave, hasSoaked);
      if (hasSoaked && gate === undefined) continue;
      return { wave, unsettled, soakLeftMs: isApplied && leftMs > 0 ? leftMs : undefined, gate };
    }
  }

  /** Zones of a wave that keep its gate shut; `undefined`: none. While it soaks, only what is over a limit counts. */
  #gateOf(wave: number, hasSoaked: boolean): GateStatus | undefined {
    const shut = this.#gatedIn(wave)
      .map(({ name }) => ({ zone: name, ...(this.#gone.get(name)?.judgement ?? notJudged) }))
      .filter((zone) => zone.state !== "kept");
    const over = shut.filter(({ state }) => state === "over");
    const unknown = hasSoaked ? shut.filter(({ state }) => state === "unknown") : [];
    const zones = [...over, ...unknown].slice(0, mostGated);
    if (zones.length === 0) return undefined;
    return { over: over.length, unknown: unknown.length, zones };
  }

  /** The zones of which measurements decide whether the next wave may begin. */
  get gated(): readonly GatedZone[] {
    return this.#isOver ? [] : this.#gatedIn(this.#progress.wave);
  }

  #gatedIn(wave: number): readonly GatedZone[] {
    if (this.#settings?.gate === undefined) return [];
    return [...this.#gone].flatMap(([name, { appliedMs, changed }]): readonly GatedZone[] => {
      const isGated = appliedMs !== undefined && changed.length > 0 && this.#waveOf(name) === wave;
      if (!isGated || (this.#isAllListed && !this.#declared.has(name))) return [];
      return [{ name, changed, appliedForMs: this.#nowMs - appliedMs }];
    });
  }

  /** Takes in what the measurements say of {@link gated} zones. */
  judge(judgements: ReadonlyMap<ZoneName, GateJudgement>): void {
    let isNew = false;
    for (const [name, judgement] of judgements) {
      const gone = this.#gone.get(name);
      if (gone?.appliedMs === undefined) continue;
      isNew ||= !isDeepStrictEqual(gone.judgement, judgement);
      this.#gone.set(name, { ...gone, judgement });
    }
    if (isNew) this.#ports.changed();
  }

  /**
   * Zones that wait, or that went and were not seen as declared. A zone that is no longer declared keeps nobody waiting, if
   * that is known.
   */
  get #unsettled(): readonly ZoneName[] {
    const going = [...this.#gone].filter(([, { appliedMs }]) => appliedMs === undefined);
    const names = [...this.#waiting.keys(), ...this.#absent.keys(), ...going.map(([name]) => name)];
    return [...new Set(names)].filter((name) => !this.#isAllListed || this.#declared.has(name));
  }

  get #isOver(): boolean {
    return this.#unsettled.length === 0;
  }

  /** Lets the zones go whose wave has begun. */
  begin(): void {
    if (this.#settings === undefined) {
      this.#setHalt(undefined);
      return;
    }
    const begun = this.#halt === undefined ? this.#progress.wave : 0;
    for (const [name, { isDecided }] of this.#waiting) {
      if (!isDecided || !this.#declared.has(name) || this.#waveOf(name) > begun) continue;
      this.#letGo(name);
    }
    if (!this.#isOver) return;
    this.#gone.clear();
    // While it is not known which zones wait, it may not be over.
    if (!this.#isLost) this.#setHalt(undefined);
  }

  #letGo(name: ZoneName): void {
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return;
    this.#waiting.delete(name);
    this.#go(name, waiting.before, waiting.next, waiting.changed);
    this.#turns.wentIn(this.#waveOf(name));
  }

  #go(
    name: ZoneName,
    before: InForce | undefined,
    { digest }: FleetZone,
    changed: readonly ResourceKey[] = [],
  ): void {
    this.#gone.set(name, { ...goneWithout(before, this.#gone.get(name)?.origin), digest, changed });
    if (before !== undefined) this.#ports.past.leftForce(name, before.digest);
  }

  #inWaves(changes: readonly Change[]): readonly Change[] {
    return this.#settings === undefined ? [] : changesInWaves(changes, this.#settings.appliesTo);
  }

  /** The wave in which steps of a zone begin, from 1. */
  stepWaveOf(name: ZoneName): number {
    return stepWaveOf(name, this.#waves, this.#settings?.appliesTo);
  }

  #waveOf(name: ZoneName): number {
    return this.#waves.get(name) ?? 1;
  }

  get #nowMs(): number {
    return this.#ports.clock.monotonicMs();
  }
}

/** What the history says of a command. */
export const commandTurns = {
  pause: "paused",
  resume: "resumed",
  promote: "promoted",
  abort: "aborted",
} as const satisfies Readonly<Record<RolloutCommand["name"], RolloutTurn["turn"]>>;

const haltReasons: Readonly<Record<RolloutHalt, string>> = {
  paused: "the rollout is paused, until a person resumes it",
  aborted: "the rollout of this revision is aborted, and the next revision begins another one",
};

/** Zones that a status names. */
const mostGated = 20;

const notJudged = { state: "unknown", why: "its measurements were not read yet" } as const;

function gateText({ over, unknown, zones }: GateStatus): string {
  const texts = zones.map(({ zone, why }) => `${zone}: ${why}`);
  const more = over + unknown - 3;
  return `${texts.slice(0, 3).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

/** The policies and rules of changes that the service counts afterwards. */
function countedIn(changes: readonly Change[]): readonly ResourceKey[] {
  return changes
    .filter(({ verb, key }) => verb !== "delete" && !key.startsWith("setting/"))
    .map(({ key }) => key);
}

/** @param origin what was in force before the rollout; `undefined`: that is `before`. */
function goneWithout(before: InForce | undefined, origin: Former | undefined): Gone {
  const former = { hash: before?.revision.hash ?? "", before };
  return {
    former: before?.digest ?? "",
    before: former,
    origin: origin ?? former,
    digest: "",
    appliedMs: undefined,
    changed: [],
  };
}

/** Whether a new declaration differs in the suspension of its zone at most: that is in force at once. */
function isSame(before: InForce | undefined, { desired: next, digest }: FleetZone): boolean {
  if (before === undefined || before.digest === digest) return before !== undefined;
  const { suspension } = next.content;
  return digestOf({ ...before.desired.content, suspension }) === digest;
}

function zoneInForce(zone: FleetZone, { before, isDecided }: Waiting, hold: Hold): FleetZone {
  const { desired, digest } = zone;
  const isHeld = before === undefined;
  const wave: WaitingDeclaration = { content: desired.content, digest, isHeld, isDecided, hold };
  if (before === undefined) return { ...zone, wave };
  const content = withSuspensionOf(before.desired.content, desired.content);
  const { isRestored = false } = before.desired;
  return { desired: { ...desired, content, isRestored }, digest: digestOf(content), wave };
}
