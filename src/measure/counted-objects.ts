import { declaredRules, type ZoneContent } from "../zone/desired-zone.ts";
import type { ResourceKey } from "../zone/resource.ts";
import { type MeasuredObject, type DayRecord, shortId } from "./day-record.ts";
import { firstHourOf } from "./hours.ts";

/** Ids that are remembered of an object; of more, the newest. */
const maxIds = 4;

/** An object of a zone, with the beginnings of its ids. */
interface KnownObject {
  ids: readonly string[];
  since: number;
  /** `Infinity` while it is live. */
  until: number;
}

/** The declared policies and rules of a zone that are or were live, and what the service counts them by. */
export class CountedObjects {
  readonly #known = new Map<ResourceKey, KnownObject>();

  /** Those that are live at an hour, and those that were within the hours before it that may still be read. */
  get all(): readonly MeasuredObject[] {
    return [...this.#known].map(([key, object]) => ({ key, ...object }));
  }

  /** The keys of those that are live. */
  get live(): readonly ResourceKey[] {
    return [...this.#known].flatMap(([key, { until }]) => (until === Infinity ? [key] : []));
  }

  /**
   * Notes what a run found live.
   *
   * @param liveKeys keys of the declared objects that are live, by their ids.
   * @param hour in which the run began.
   */
  note(liveKeys: ReadonlyMap<string, ResourceKey>, content: ZoneContent, hour: number): void {
    const rulesets = new Map(executed(content));
    const found = Map.groupBy(liveKeys, ([, key]) => key);
    for (const [key, entries] of found) {
      if (key.startsWith("setting/")) continue;
      // The events of a managed ruleset name its rules and itself, not the rule that executes it (SERVICE.md C.8).
      const ids = [...entries.map(([id]) => id), rulesets.get(key) ?? []].flat().map(shortId);
      const known = this.#known.get(key);
      if (known === undefined) {
        this.#known.set(key, { ids: ids.slice(-maxIds), since: hour, until: Infinity });
        continue;
      }
      const others = known.ids.filter((id) => !ids.includes(id));
      known.ids = [...others, ...ids].slice(-maxIds);
      known.until = Infinity;
    }
    for (const [key, object] of this.#known) {
      if (!found.has(key) && object.until === Infinity) object.until = hour;
    }
  }

  /** Learns from a record of an earlier process: what it counted, with the same ids, has been live since then. */
  learn({ day, objects }: DayRecord): void {
    const start = firstHourOf(day);
    for (const [key, { ids, isLive }] of objects) {
      const known = this.#known.get(key);
      const first = isLive.indexOf(true);
      if (known === undefined || first < 0) continue;
      known.ids = [...new Set([...ids, ...known.ids])].slice(-maxIds);
      known.since = Math.min(known.since, start + first);
    }
  }

  /** Forgets what was live only before an hour. */
  forgetBefore(hour: number): void {
    for (const [key, { until }] of this.#known) if (until < hour) this.#known.delete(key);
  }
}

/** The managed rulesets that declared rules execute, by the keys of the rules. */
function executed(content: ZoneContent): readonly (readonly [ResourceKey, string])[] {
  return declaredRules(content).flatMap((rule) =>
    rule.action === "execute" ? [[`managed_rule/${rule.key}` as const, rule.ruleset] as const] : [],
  );
}
