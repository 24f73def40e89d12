import { byText } from "../syntax/by-text.ts";
import type { FleetView, RemovedZone } from "./fleet.ts";
import type { LoadReport, LoadResult } from "./load-report.ts";
import type { ChangeRecord, ZoneState } from "./zone-state.ts";

/** Records of changes that are shown over all parts. */
const recentLimit = 50;

/** Several parts of a fleet as one: no zone is in two of them. */
export class JoinedFleet implements FleetView {
  readonly #parts: () => readonly FleetView[];
  #joined: readonly (readonly ZoneState[])[] = [];
  #sorted: readonly ZoneState[] = [];

  constructor(parts: () => readonly FleetView[]) {
    this.#parts = parts;
  }

  get zones(): readonly ZoneState[] {
    const parts = this.#parts().map(({ zones }) => zones);
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return only;
    const isSame =
      parts.length === this.#joined.length &&
      parts.every((zones, nth) => zones === this.#joined[nth]);
    if (!isSame) this.#sorted = parts.flat().toSorted(byText(({ declared }) => declared.name));
    this.#joined = parts;
    return this.#sorted;
  }

  zone(name: string): ZoneState | undefined {
    return this.#parts()
      .map((part) => part.zone(name))
      .find((state) => state !== undefined);
  }

  get load(): LoadReport | undefined {
    return joinLoads(this.#parts().flatMap(({ load }) => load ?? []));
  }

  get loadedAt(): Date | undefined {
    const moments = this.#parts().flatMap(({ loadedAt }) => loadedAt ?? []);
    return moments.toSorted((a, b) => Number(a) - Number(b))[0];
  }

  /** A process that waits for its part is ready: a rolling update that waited for more would never end. */
  get hasActiveRevision(): boolean {
    const parts = this.#parts();
    return parts.length === 0 || parts.some(({ hasActiveRevision }) => hasActiveRevision);
  }

  get recent(): readonly ChangeRecord[] {
    const all = this.#parts().flatMap(({ recent }) => recent);
    return all.toSorted((a, b) => Number(b.at) - Number(a.at)).slice(0, recentLimit);
  }

  removedSince(since: Date): readonly RemovedZone[] {
    const all = this.#parts().flatMap((part) => part.removedSince(since));
    return all.toSorted((a, b) => Number(b.at) - Number(a.at));
  }
}

/** The best first. */
const byGravity: readonly LoadResult[] = ["unchanged", "applied", "partial", "held", "rejected"];

/** The loads of several parts as one: the gravest result, everything that is wrong, and all zones. */
export function joinLoads(loads: readonly LoadReport[]): LoadReport | undefined {
  const [gravest, ...others] = loads.toSorted(
    (a, b) => byGravity.indexOf(b.result) - byGravity.indexOf(a.result),
  );
  if (gravest === undefined || others.length === 0) return gravest;
  const diagnostics = loads.flatMap((load) => load.diagnostics);
  const at = loads.map((load) => load.at).reduce((a, b) => (b > a ? b : a));
  return {
    ...gravest,
    held: gravest.held && { ...gravest.held, hold: joinHolds(gravest.held, others) },
    diagnostics: distinct(diagnostics),
    zones: loads.reduce((sum, { zones }) => sum + zones, 0),
    at,
  };
}

type Held = NonNullable<LoadReport["held"]>;

/** Each part may be held with a hash of its own: a person has to see all of them. */
function joinHolds({ hold }: Held, others: readonly LoadReport[]): Held["hold"] {
  const messages = others.flatMap(({ held }) => held?.hold.message ?? []);
  return { ...hold, message: [...new Set([hold.message, ...messages])].join("; ") };
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
