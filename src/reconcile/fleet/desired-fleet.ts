import type { Failure, Trigger, ZoneReport } from "../../state/run-report.ts";
import type { DesiredZone, ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { KnownZones, Zone, ZoneName } from "../../zone/zone.ts";
import { digestOf } from "../run/zone-memory.ts";

/** Everything that the files say at this moment, as far as running it needs to know. */
export interface DesiredState {
  readonly documents: readonly ZoneDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** `false`: nothing of what was read can be put in force; `documents` is what was read before. */
  readonly usable: boolean;
  readonly revision: string;
  readonly hash: string;
}

/** Zones that the service shows; `failed` are credentials whose zones are unknown this time, not gone. */
export interface Listing {
  readonly zones: readonly Zone[];
  readonly failed: readonly { readonly credential: string; readonly error: Error }[];
}

/** Finds the zones that documents speak of among those that the service lists. */
export type Select = (
  documents: readonly ZoneDocument[],
  known: KnownZones,
) => {
  /** No two of one name. */
  readonly zones: readonly DesiredZone[];
  readonly diagnostics: readonly Diagnostic[];
  /** Declared zones that are listed and left alone all the same, with the reason. */
  readonly leftAlone: ReadonlyMap<ZoneName, Diagnostic>;
};

/** The desired state, from outside. Operators' mistakes are problems in it, never errors. */
export interface DesiredSource {
  load(signal: AbortSignal): Promise<DesiredState>;
  readonly select: Select;
}

/** A declared zone with the digest of what it shall be. */
export interface FleetZone {
  readonly desired: DesiredZone;
  readonly digest: string;
}

/** The declared zones of one revision. */
export interface DesiredFleet {
  readonly zones: ReadonlyMap<ZoneName, FleetZone>;
  /** What the listing shows to be wrong in the files, beside what is wrong in them anyway. */
  readonly diagnostics: readonly Diagnostic[];
  /** Names that the files declare and that stand for no zone, with the reason where it is not that none is listed. */
  readonly missing: ReadonlyMap<ZoneName, Failure | undefined>;
}

/** Finds the declared zones in a listing; before there is one, nothing is found and nothing is wrong with that. */
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
  const zones = new Map(
    selection.zones.map((desired) => [
      desired.zone.name,
      { desired, digest: digestOf(desired.content) },
    ]),
  );
  return {
    zones,
    diagnostics: selection.diagnostics,
    missing: new Map(
      namesOf(state.documents)
        .filter((name) => !zones.has(name))
        .map((name) => [name, failureIn(selection.leftAlone.get(name))]),
    ),
  };
}

function failureIn(diagnostic: Diagnostic | undefined): Failure | undefined {
  if (diagnostic === undefined) return undefined;
  const { code, message, remedy } = diagnostic;
  const text = `${message}; ${remedy}`;
  return { code, message: text, transient: false, ray: "", retryAfterMs: 0 };
}

/** Zones that documents call by name. */
export function namesOf(documents: readonly ZoneDocument[]): readonly ZoneName[] {
  return documents.flatMap(({ target }) => (target.by === "name" ? [target.name] : []));
}

/**
 * The report on a declared zone that was not found: not an empty one, an unreadable one.
 *
 * @param failure why, where it is not that the listing does not show it.
 */
export function missingReport(
  zone: ZoneName,
  failure: Failure | undefined,
  occasion: {
    readonly run: string;
    readonly trigger: Trigger;
    readonly revision: string;
    readonly now: Date;
  },
): ZoneReport {
  const { run, trigger, revision, now } = occasion;
  return {
    result: "error",
    zone,
    run,
    trigger,
    revision,
    startedAt: now,
    finishedAt: now,
    phases: { fetch: 0, plan: 0, apply: 0 },
    failure: failure ?? {
      code: "ZONE_NOT_LISTED",
      message: `the service does not list ${zone}: check the name, and that a credential may see the zone`,
      transient: false,
      ray: "",
      retryAfterMs: 0,
    },
  };
}

/**
 * Joins a new listing with what was known: zones of a credential that could not list are kept. Gives `known` itself
 * where the listing shows the very same zones.
 */
export function joinListings(
  known: KnownZones | undefined,
  { zones, failed }: Listing,
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
