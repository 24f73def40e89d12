import type { Hold } from "../../plan/guard/hold.ts";
import type { RolloutHalt } from "../../state/load-report.ts";
import type { Failure, ZoneReport } from "../../state/run-report.ts";
import { sha256 } from "../../syntax/digest.ts";
import { memoized } from "../../syntax/remembered.ts";
import type { DesiredState, Revision, Select } from "../../zone/desired-state.ts";
import type { DesiredZone, ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import type { KnownZones, ZoneListing, ZoneName } from "../../zone/zone.ts";

/**
 * How far the first round is (fleet-round.ts):
 *
 * - `planning`: nothing may be written. Zones are being planned, or the fleet guard holds what they would change.
 * - `open`: the zones that were planned may be written; some zones could not be planned yet.
 * - `closed`: every zone was planned and may be written. What is declared or listed from now on is not judged as in `open`:
 *   it is new, and new zones do not count for the share of the fleet.
 */
export const roundPhases = ["planning", "open", "closed"] as const;

export type RoundPhase = (typeof roundPhases)[number];

/** How far the first round is, as the next process has to know it. */
export interface RoundProgress {
  readonly phase: RoundPhase;
  /** How many zones with changes the limit let pass, without a release. */
  readonly passed: number;
  /**
   * Whether zones are judged though it is known what was applied to them: the state had lost the revision when the round
   * began.
   */
  readonly judgesKnown: boolean;
}

/** What a person made of a rollout. */
export interface StoredHalt {
  /** Hash of the revision that was active; "": it is not known. */
  readonly revision: string;
  readonly halt: RolloutHalt;
}

/** A revision that is held, for commands. */
export interface StoredHold {
  readonly revision: string;
  readonly message: string;
  /** What a person accepts: the hash of what the files declare. */
  readonly hash: string;
  /** Zones that it would change or drop. */
  readonly zones: readonly ZoneName[];
}

/** A rollout, as the next process has to know it. */
export interface StoredRollout {
  /** Hash of the active revision. */
  readonly revision: string;
  /** For each zone that waits, the hash of the revision that declares what is in force; "": that is not known. */
  readonly waiting: ReadonlyMap<ZoneName, string>;
  readonly gone: ReadonlyMap<ZoneName, StoredGone>;
}

/** The hashes of the revisions that are still in force in zones, or that may be again. */
export function revisionsInForce(rollout: StoredRollout | undefined): ReadonlySet<string> {
  const gone = [...(rollout?.gone.values() ?? [])].flatMap(({ hash, origin }) => [hash, origin]);
  return new Set([...(rollout?.waiting.values() ?? []), ...gone].filter((hash) => hash !== ""));
}

/** A zone that did not wait any longer. */
export interface StoredGone {
  /** The digest of what was in force before; "": that is not known. */
  readonly former: string;
  /** The hash of the revision that declares that; "": it is not known, or not needed any more. */
  readonly hash: string;
  /** The hash of the revision that declares what was in force before the rollout; "": that is not known. */
  readonly origin: string;
  /** When it was seen as declared, in milliseconds since the epoch; `undefined`: it was not yet. */
  readonly appliedAt: number | undefined;
  /** The policies and rules that were changed when its wave began. */
  readonly changed: readonly ResourceKey[];
}

/** The revision that was active when the process before this one ended. */
export interface StoredState {
  readonly state: DesiredState;
  readonly round: RoundProgress;
  /** `undefined`: it is not known which zones waited for a wave. */
  readonly rollout?: StoredRollout | undefined;
  /** Revisions that were in force in zones that waited, by their hashes, as far as they are known. */
  readonly earlier?: ReadonlyMap<string, DesiredState>;
}

/** Loads the zone files. Mistakes in them are diagnostics, never errors. */
export interface DesiredSource {
  load(signal: AbortSignal): Promise<DesiredState>;
  /** `undefined` if that is not known. */
  restore(signal: AbortSignal): Promise<StoredState | undefined>;
  readonly select: Select;
}

/** A declared zone with the digest of its content, as it is without the steps that are in force. */
export interface FleetZone {
  readonly desired: DesiredZone;
  readonly digest: string;
  /** What a held revision declares of the zone instead; left out: nothing. */
  readonly held?: HeldDeclaration | undefined;
  /** What is declared of the zone, and waits for its wave; left out: `desired`. */
  readonly wave?: WaitingDeclaration | undefined;
}

/** The declaration of a zone that waits for its wave. */
export interface WaitingDeclaration {
  readonly content: ZoneContent;
  readonly digest: string;
  /** Whether it is not known what was in force before: then `desired` is what is declared, and its plans are held. */
  readonly isHeld: boolean;
  /** Whether a run has found what it changes. */
  readonly isDecided: boolean;
  /** What it waits for, in words. */
  readonly hold: Hold;
}

/** What is in force in a zone, and since which revision. */
export interface InForce {
  readonly desired: Pick<DesiredZone, "content" | "isRestored">;
  readonly digest: string;
  readonly revision: Revision;
}

/** The declaration of a zone in a revision that is held. */
export interface HeldDeclaration {
  readonly content: ZoneContent;
  readonly digest: string;
  readonly revision: string;
}

/** The declared zones of one revision. */
export interface DesiredFleet {
  readonly zones: ReadonlyMap<ZoneName, FleetZone>;
  /** Beside those of the files: of their selectors in the listing. */
  readonly diagnostics: readonly Diagnostic[];
  /** Declared names without a zone, with the reason where the service lists the zone. */
  readonly missing: ReadonlyMap<ZoneName, Failure | undefined>;
}

/** The fleet before the first load. */
export const noFleet: DesiredFleet = { zones: new Map(), diagnostics: [], missing: new Map() };

/** The names of all declared zones. */
export function declaredNames({
  zones,
  missing,
}: Pick<DesiredFleet, "zones" | "missing">): ReadonlySet<ZoneName> {
  return new Set([...zones.keys(), ...missing.keys()]);
}

export function declaredIn({ zones, missing }: Pick<DesiredFleet, "zones" | "missing">): number {
  return zones.size + missing.size;
}

/**
 * Identifies declared content: equal content, equal digest. Scripts are not part of it: they are never written. Unchanged files
 * give the same content objects again.
 */
export const digestOf = memoized((content: ZoneContent): string =>
  sha256(JSON.stringify({ ...content, scripts: undefined })),
);

/** Identifies what is in force in a zone, with its steps. */
export function inForceDigest({ desired }: Pick<FleetZone, "desired">): string {
  return digestOf(desired.content);
}

/** Identifies what is in force in a zone and what waits, with the steps of both. */
export function declaredDigests(zone: FleetZone): readonly string[] {
  return [inForceDigest(zone), ...(zone.wave === undefined ? [] : [digestOf(zone.wave.content)])];
}

/** Finds the declared zones in a listing. Before the first listing none is found, and there are no diagnostics. */
export function desiredFleet(
  select: Select,
  state: DesiredState,
  listed: KnownZones | undefined,
): DesiredFleet {
  if (listed === undefined) {
    const missing = new Map(namesOf(state.documents).map((name) => [name, undefined]));
    return { zones: new Map(), diagnostics: [], missing };
  }
  const selection = select(state.documents, listed);
  const { diagnostics, leftAlone } = selection;
  const zones = new Map(
    selection.zones.map((desired) => [
      desired.zone.name,
      { desired, digest: digestOf(desired.content) },
    ]),
  );
  const absent = namesOf(state.documents).filter((name) => !zones.has(name));
  const missing = new Map(absent.map((name) => [name, failureIn(leftAlone.get(name))]));
  return { zones, diagnostics, missing };
}

/** Only a change of the files or of the listing helps. */
function permanentFailure(code: string, message: string): Failure {
  return { code, message, transient: false, ray: "", retryAfterMs: 0 };
}

function failureIn(diagnostic: Diagnostic | undefined): Failure | undefined {
  if (diagnostic === undefined) return undefined;
  const { code, message, remedy } = diagnostic;
  return permanentFailure(code, `${message}; ${remedy}`);
}

/** The zones that documents select by name. */
export function namesOf(documents: readonly ZoneDocument[]): readonly ZoneName[] {
  return documents.flatMap(({ target }) => (target.by === "name" ? [target.name] : []));
}

/**
 * The report on a declared zone that was not found: an error, not an empty zone.
 *
 * @param failure `undefined`: the service does not list the zone.
 */
export function missingReport(
  zone: ZoneName,
  failure: Failure | undefined,
  {
    now,
    ...run
  }: Pick<ZoneReport, "run" | "trigger" | "revision" | "commit"> & { readonly now: Date },
): ZoneReport {
  return {
    ...run,
    result: "error",
    zone,
    startedAt: now,
    finishedAt: now,
    phases: { fetch: 0, plan: 0, apply: 0 },
    failure:
      failure ??
      permanentFailure(
        "ZONE_NOT_LISTED",
        "the service does not list the zone: check the name, and that a credential may see the zone",
      ),
  };
}

/**
 * Merges a new listing into the known zones: those of a credential that could not list are kept. Gives `known` itself where
 * nothing changed.
 */
export function joinListings(
  known: KnownZones | undefined,
  { zones, failed }: ZoneListing,
): KnownZones {
  const credentials = failed.map(({ credential }) => credential);
  if (known === undefined) return { zones, unlisted: credentials };
  const seen = new Set(zones.map(({ id }) => id));
  const kept = failed.length === 0 ? [] : known.zones.filter(({ id }) => !seen.has(id));
  const joined = [...zones, ...kept];
  const unlisted = known.unlisted.filter((credential) => credentials.includes(credential));
  const isSame =
    unlisted.length === known.unlisted.length &&
    joined.length === known.zones.length &&
    joined.every((zone, index) => zone === known.zones[index]);
  return isSame ? known : { zones: joined, unlisted };
}
