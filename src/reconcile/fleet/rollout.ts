import type { Change } from "../../plan/change.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import type { RolloutStatus } from "../../state/load-report.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { isConverged } from "../../state/summary.ts";
import { firstOf } from "../../syntax/first-of.ts";
import type { Clock } from "../../zone/ports.ts";
import type { RolloutSettings } from "../../zone/wave.ts";
import type { ZoneName } from "../../zone/zone.ts";
import {
  type DesiredFleet,
  digestOf,
  type FleetZone,
  type InForce,
  type StoredRollout,
  type WaitingDeclaration,
} from "./desired-fleet.ts";
import type { FleetPast } from "./fleet-past.ts";
import { withSuspensionOf } from "./suspension-overlay.ts";
import { changesInWaves, wavesOf } from "./waves.ts";

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
  /** The waves of which zones went since the load before, and how many of each. */
  readonly begun: ReadonlyMap<number, number>;
  /** `undefined`: no zone waits for its wave. */
  readonly status: RolloutStatus | undefined;
  /** What the next process has to know; `undefined`: there are no waves. */
  readonly stored: StoredRollout | undefined;
}

export interface RolloutPorts {
  readonly clock: Pick<Clock, "now" | "monotonicMs">;
  readonly past: Pick<FleetPast, "wasInForce" | "leftForce">;
  /** Whether it is remembered what was applied to a zone. */
  readonly isKnown: (zone: ZoneName) => boolean;
  /** Is called when another zone may go, or does not wait any more. */
  readonly changed: () => void;
}

/** A zone that waits. */
interface Waiting {
  /** What is in force until it goes; `undefined`: that is not known, and its plans are held. */
  readonly before: InForce | undefined;
  /** What is declared. */
  readonly next: FleetZone;
  /** Whether a run has found changes that go out in waves. */
  readonly isDecided: boolean;
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
  /** Of what is declared; "": that is not known yet. */
  readonly digest: string;
  /** When it was seen as declared, by the monotonic clock. */
  readonly appliedMs: number | undefined;
}

/** Rounded up: the two clocks never agree for long, and each load would give another moment. */
function inWholeMinutes(ms: number): number {
  return Math.ceil(ms / 60_000) * 60_000;
}

/** How far the waves have come. */
interface Progress extends Pick<RolloutStatus, "wave" | "unsettled"> {
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
  /** When zones were seen as declared, as it is stored: each restart would else put the next wave off by a minute. */
  readonly #storedMoments = new Map<ZoneName, number>();
  #begun = new Map<number, number>();
  /** Zones that were declared and listed in this process. */
  readonly #seen = new Set<ZoneName>();
  /** Whether it is not known which zones waited when the process before this one ended. */
  #isLost = true;
  #revision = "";
  #isAllListed = false;
  /** Whether the active revision was active before this process began. */
  #isOlder = true;
  #declared: ReadonlySet<ZoneName> = new Set();
  #waves: ReadonlyMap<ZoneName, number> = new Map();

  /** @param settings `undefined`: no zone waits. */
  constructor(settings: RolloutSettings | undefined, ports: RolloutPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** Goes on where the process before this one was. */
  restore({ revision, waiting, gone }: StoredRollout): void {
    this.#isLost = false;
    this.#revision = revision;
    const { clock } = this.#ports;
    for (const [name, hash] of waiting) this.#absent.set(name, { hash });
    for (const [name, { former, hash, appliedAt }] of gone) {
      const passedMs = appliedAt === undefined ? 0 : Math.max(0, Number(clock.now()) - appliedAt);
      const appliedMs = appliedAt === undefined ? undefined : clock.monotonicMs() - passedMs;
      this.#gone.set(name, { former, before: { hash }, digest: "", appliedMs });
      if (appliedAt !== undefined) this.#storedMoments.set(name, appliedAt);
    }
  }

  /** What the next process has to know; `undefined`: there are no waves, or it is not known which zones wait. */
  get stored(): StoredRollout | undefined {
    if (this.#settings === undefined || this.#isLost) return undefined;
    const waiting = [...this.#waiting].map(
      ([name, { before }]) => [name, before?.revision.hash ?? ""] as const,
    );
    const gone = [...this.#gone].map(
      ([
        name,
        {
          former,
          before: { hash },
          appliedMs,
        },
      ]) => [name, { former, hash, appliedAt: this.#storedAt(name, appliedMs) }] as const,
    );
    const absent = [...this.#absent].map(([name, { hash }]) => [name, hash] as const);
    return {
      revision: this.#revision,
      waiting: new Map([...absent, ...waiting]),
      gone: new Map(gone),
    };
  }

  #storedAt(name: ZoneName, appliedMs: number | undefined): number | undefined {
    if (appliedMs === undefined) return undefined;
    const { clock } = this.#ports;
    const at = Number(clock.now()) - (clock.monotonicMs() - appliedMs);
    const known = this.#storedMoments.get(name);
    if (known !== undefined && Math.abs(known - at) <= 60_000) return known;
    const moment = inWholeMinutes(at);
    this.#storedMoments.set(name, moment);
    return moment;
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
    if (isNew) {
      this.#isOlder = false;
      for (const [name, digest] of absent) this.#declareAbsent(name, digest, declaration);
    }
    this.#waves = wavesOf(this.#settings.waves, this.#declared);
    for (const [name, zone] of fleet.zones) {
      const waiting = this.#waiting.get(name);
      if (waiting === undefined) this.#declareZone(name, zone, declaration);
      else this.#redeclare(name, waiting, zone);
      this.#seen.add(name);
      this.#redeclareGone(name, zone);
    }
    if (this.#isLost && isAllListed) this.#declareRest(absent);
    this.begin();
  }

  /** What was lost is found when all zones are listed. The others wait when they are. */
  #declareRest(absent: Declaration["absent"]): void {
    for (const name of absent.keys()) {
      if (this.#ports.isKnown(name)) this.#absent.set(name, { hash: "" });
    }
    this.#isLost = false;
    this.#isOlder = false;
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

  #redeclare(name: ZoneName, waiting: Waiting, next: FleetZone): void {
    if (waiting.next.digest === next.digest) this.#waiting.set(name, { ...waiting, next });
    else this.#wait(name, waiting.before, next);
  }

  /** A zone that is only observed takes no part: it would never be seen as declared. */
  #redeclareGone(name: ZoneName, { desired, digest }: FleetZone): void {
    const gone = this.#gone.get(name);
    if (gone === undefined) return;
    if (desired.content.mode === "observe" && gone.appliedMs === undefined) this.#gone.delete(name);
    else this.#gone.set(name, { ...gone, digest });
  }

  /** Lets a zone wait, unless the new declaration is for all zones at once. */
  #wait(name: ZoneName, before: InForce | undefined, next: FleetZone): void {
    this.#waiting.delete(name);
    if (next.desired.content.mode === "observe" || isSame(before, next)) return;
    if (before !== undefined && this.wasInForce(name, next.digest)) this.#go(name, before, next);
    else this.#waiting.set(name, { before, next, isDecided: false });
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
  decide(
    { desired, wave }: FleetZone,
    { toInForce, toWaiting }: Readonly<Record<"toInForce" | "toWaiting", readonly Change[]>>,
  ): void {
    const { name } = desired.zone;
    const waiting = this.#waiting.get(name);
    if (wave === undefined || waiting?.next.digest !== wave.digest) return;
    // While the zone has drifted, its changes are not those of the new declaration alone.
    const isPure = wave.isHeld || toInForce.length === 0 || toWaiting.length === 0;
    if (isPure && this.#inWaves(toWaiting).length === 0) {
      this.#waiting.delete(name);
      this.#free(name, waiting);
      this.#ports.changed();
    } else if (!waiting.isDecided) {
      this.#waiting.set(name, { ...waiting, isDecided: true });
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
    const gone = isUnknown ? goneWithout(before) : this.#gone.get(name);
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
    const message = `the zone waits for wave ${this.#waveOf(name)} of ${waves.length}: ${reason}`;
    return { reason: "wave", message };
  }

  get #reason(): string {
    const { wave, unsettled, soakLeftMs } = this.#progress;
    if (soakLeftMs === undefined) return `wave ${wave} is not applied in ${firstOf(unsettled, 3)}`;
    const at = this.#momentIn(soakLeftMs).toISOString();
    return `wave ${wave} is applied, and the next one begins at ${at}`;
  }

  /** Where the rollout is, and what it did since the last call. */
  view(): RolloutView {
    const begun = this.#begun;
    this.#begun = new Map();
    return { begun, status: this.status, stored: this.stored };
  }

  /** `undefined`: no zone waits, and each that went was seen as declared. */
  get status(): RolloutStatus | undefined {
    if (this.#settings === undefined || this.#isOver) return undefined;
    const waiting = new Map<number, number>();
    for (const name of this.#waiting.keys()) {
      const wave = this.#waveOf(name);
      waiting.set(wave, (waiting.get(wave) ?? 0) + 1);
    }
    const { wave, unsettled, soakLeftMs } = this.#progress;
    const nextAt = soakLeftMs === undefined ? undefined : this.#momentIn(soakLeftMs);
    return { wave, waves: this.#settings.waves.length, unsettled, nextAt, waiting };
  }

  /** How long to wait until the next wave begins, in milliseconds; `undefined`: no wave waits for time. */
  get soakLeftMs(): number | undefined {
    return this.#isOver ? undefined : this.#progress.soakLeftMs;
  }

  /** In whole minutes, as moments are stored: else each load would give another one. */
  #momentIn(ms: number): Date {
    return new Date(inWholeMinutes(Number(this.#ports.clock.now()) + ms));
  }

  get #progress(): Progress {
    const { waves = [], soakMs = 0 } = this.#settings ?? {};
    const { unsettledIn, appliedIn } = this.#byWave;
    const unsettled: ZoneName[] = [];
    for (let wave = 1; ; wave += 1) {
      unsettled.push(...(unsettledIn.get(wave) ?? []));
      if (wave >= waves.length || unsettled.length > 0) {
        return { wave, unsettled, soakLeftMs: undefined };
      }
      const soakLeftMs = (appliedIn.get(wave) ?? -Infinity) + soakMs - this.#nowMs;
      if (soakLeftMs > 0) return { wave, unsettled, soakLeftMs };
    }
  }

  /** The zones of each wave that are not settled, and when the last of the others was, by the monotonic clock. */
  get #byWave(): {
    readonly unsettledIn: ReadonlyMap<number, readonly ZoneName[]>;
    readonly appliedIn: ReadonlyMap<number, number>;
  } {
    const unsettledIn = Map.groupBy(this.#unsettled, (name) => this.#waveOf(name));
    const appliedIn = new Map<number, number>();
    for (const [name, { appliedMs }] of this.#gone) {
      if (appliedMs === undefined) continue;
      const wave = this.#waveOf(name);
      appliedIn.set(wave, Math.max(appliedMs, appliedIn.get(wave) ?? -Infinity));
    }
    return { unsettledIn, appliedIn };
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
    if (this.#settings === undefined) return;
    const { wave: begun } = this.#progress;
    for (const [name, { before, next, isDecided }] of this.#waiting) {
      if (!isDecided || !this.#declared.has(name) || this.#waveOf(name) > begun) continue;
      this.#waiting.delete(name);
      this.#go(name, before, next);
      const wave = this.#waveOf(name);
      this.#begun.set(wave, (this.#begun.get(wave) ?? 0) + 1);
    }
    if (!this.#isOver) return;
    this.#gone.clear();
    this.#storedMoments.clear();
  }

  #go(name: ZoneName, before: InForce | undefined, { digest }: FleetZone): void {
    this.#gone.set(name, { ...goneWithout(before), digest });
    if (before !== undefined) this.#ports.past.leftForce(name, before.digest);
  }

  #inWaves(changes: readonly Change[]): readonly Change[] {
    return this.#settings === undefined ? [] : changesInWaves(changes, this.#settings.appliesTo);
  }

  #waveOf(name: ZoneName): number {
    return this.#waves.get(name) ?? 1;
  }

  get #nowMs(): number {
    return this.#ports.clock.monotonicMs();
  }
}

function goneWithout(before: InForce | undefined): Gone {
  const hash = before?.revision.hash ?? "";
  return {
    former: before?.digest ?? "",
    before: { hash, before },
    digest: "",
    appliedMs: undefined,
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
