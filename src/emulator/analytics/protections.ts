import { canonicalJson } from "../../syntax/json.ts";
import { dayMs } from "../../syntax/time-units.ts";
import type { EmulatedZone, Protection, State } from "../state.ts";
import { protectionOf } from "./protection.ts";

/** What was in force for each zone and from when on, so that the counts of the past do not change. */
export class Protections {
  readonly #changed: Map<string, readonly Protection[]>;
  /** Of zones that did not change. */
  readonly #known = new WeakMap<EmulatedZone, readonly Protection[]>();

  constructor(changed: State["protections"] = {}) {
    this.#changed = new Map(Object.entries(changed));
  }

  /** What was in force for a zone, oldest first; `zone` is its present state. */
  of(zone: EmulatedZone): readonly Protection[] {
    const found = this.#changed.get(zone.id) ?? this.#known.get(zone) ?? [protectionOf(zone, 0)];
    this.#known.set(zone, found);
    return found;
  }

  /** Keeps what was in force `before`, which now ends. */
  change(before: EmulatedZone | undefined, next: EmulatedZone, time: Date): void {
    if (before === undefined || deciding.every((name) => before[name] === next[name])) return;
    const now = time.getTime();
    const known = this.of(before);
    const added = protectionOf(next, now);
    if (canonicalJson({ ...known.at(-1), from: now }) === canonicalJson(added)) return;
    // After the clock was set back, what began later never was.
    const past = known.filter(({ from }, index) => index === 0 || from < now);
    const kept = past.filter((_, index) => (past[index + 1]?.from ?? now) > now - keptMs);
    this.#changed.set(next.id, [...kept, added]);
  }

  /** The zones that changed, for the state file. */
  changed(): NonNullable<State["protections"]> {
    return Object.fromEntries(this.#changed);
  }

  clear(): void {
    this.#changed.clear();
  }
}

/** What a protection follows from. */
const deciding = ["policies", "rulesets", "traffic", "status", "paused"] as const;

/** No dataset goes further back than 90 days; the oldest hours of one are read a little later. */
const keptMs = 100 * dayMs;
