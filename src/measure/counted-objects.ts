import { declaredRules, type ZoneContent } from "../zone/desired-zone.ts";
import type { ResourceKey } from "../zone/resource.ts";
import { type MeasuredObject, type DayRecord, shortId } from "./day-record.ts";
import { firstHourOf } from "./hours.ts";
import { datasetOf } from "./measurement.ts";

/** Ids that are remembered of an object; of more, the newest. */
const maxIds = 4;

/** Hours without an object after which it is taken for another one: a run may not see what is there. */
const hoursUnseen = 1;

/** An object of a zone, with the beginnings of its ids. */
interface KnownObject {
  ids: readonly string[];
  /** When it was first noted. */
  noted: number;
  since: number;
  /** `Infinity` while it is live. */
  until: number;
  /** Digest of what a policy does; "" if it is not known, and for rules. */
  form: string;
  formSince: number;
  /** The last form in the records of earlier processes, and the first hour of it. */
  learnt: { readonly form: string; readonly since: number };
}

const noForm = { form: "", since: Infinity } as const;

/** The declared policies and rules of a zone that are or were live, and what the service counts them by. */
export class CountedObjects {
  readonly #known = new Map<ResourceKey, KnownObject>();

  /** Those that are live at an hour, and those that were within the hours before it that may still be read. */
  get all(): readonly MeasuredObject[] {
    return [...this.#known].map(([key, { learnt, ...object }]) => {
      // Nothing says that it was another one since.
      const isSame = learnt.form === object.form;
      const formSince = isSame ? Math.min(object.formSince, learnt.since) : object.formSince;
      return { key, ...object, formSince };
    });
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
   * @param forms digests of what the policies do.
   */
  note(
    liveKeys: ReadonlyMap<string, ResourceKey>,
    content: ZoneContent,
    hour: number,
    forms: ReadonlyMap<ResourceKey, string> = new Map(),
  ): void {
    const rulesets = new Map(executed(content));
    const found = Map.groupBy(liveKeys, ([, key]) => key);
    for (const [key, entries] of found) {
      if (key.startsWith("setting/")) continue;
      // The events of a managed ruleset name its rules and itself, not the rule that executes it (SERVICE.md C.8).
      const ids = [...entries.map(([id]) => id), rulesets.get(key) ?? []].flat().map(shortId);
      const known = this.#known.get(key);
      const form = forms.get(key) ?? "";
      // It may have become that within the hour.
      const formSince = hour + 1;
      if (known === undefined) {
        const own = { ids: ids.slice(-maxIds), form, formSince, learnt: noForm };
        this.#known.set(key, { ...own, noted: hour, since: hour, until: Infinity });
        continue;
      }
      // Whether it was there in between is not known.
      if (hour - known.until > hoursUnseen) known.since = hour;
      if (known.form !== form) Object.assign(known, { form, formSince, learnt: noForm });
      const others = known.ids.filter((id) => !ids.includes(id));
      known.ids = [...others, ...ids].slice(-maxIds);
      known.until = Infinity;
    }
    for (const [key, object] of this.#known) {
      if (!found.has(key) && object.until === Infinity) object.until = hour;
    }
  }

  /**
   * Learns from a record of an earlier process, the oldest first: what it counted, with the same ids, has been live since then,
   * unless it was read and not live later.
   */
  learn({ day, hours, objects }: DayRecord): void {
    const start = firstHourOf(day);
    for (const [key, known] of this.#known) {
      const { ids = [], isLive, forms } = objects.get(key) ?? {};
      known.ids = [...new Set([...ids, ...known.ids])].slice(-maxIds);
      for (const [hour, state] of hours[datasetOf(key)].entries()) {
        const isThere = isLive?.[hour] === true;
        if (isThere) known.since = Math.min(known.since, start + hour);
        if (state !== "measured") continue;
        if (!isThere) known.since = known.noted;
        if (forms !== undefined) learnForm(known, forms[hour] ?? "", start + hour);
      }
    }
  }

  /** Forgets what was live only before an hour. */
  forgetBefore(hour: number): void {
    for (const [key, { until }] of this.#known) if (until < hour) this.#known.delete(key);
  }
}

function learnForm(known: KnownObject, form: string, since: number): void {
  if (form !== known.learnt.form) known.learnt = form === "" ? noForm : { form, since };
}

/** The managed rulesets that declared rules execute, by the keys of the rules. */
function executed(content: ZoneContent): readonly (readonly [ResourceKey, string])[] {
  return declaredRules(content).flatMap((rule) =>
    rule.action === "execute" ? [[`managed_rule/${rule.key}` as const, rule.ruleset] as const] : [],
  );
}
