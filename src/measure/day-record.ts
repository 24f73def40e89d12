import {
  coerceList,
  coerceObject,
  coerceText,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
} from "../syntax/json.ts";
import { listedKinds, type ResourceKey } from "../zone/resource.ts";
import { firstHourOf, hoursOfDay } from "./hours.ts";
import {
  type MeasuredDataset,
  datasetOf,
  datasets,
  type HourCount,
  ofEachDataset,
  type RefusedReason,
} from "./measurement.ts";

/** Whether an hour of a dataset was measured, or why not. */
const hourStates = ["measured", "denied", "unavailable", "failed", "missing"] as const;

export type HourState = (typeof hourStates)[number];

/** What was measured of a zone in a day. Each list has a value for each of the 24 hours of UTC. */
export interface DayRecord {
  readonly zone: string;
  readonly day: string;
  readonly hours: Readonly<Record<MeasuredDataset, readonly HourState[]>>;
  /** At least 1 in hours that were measured. */
  readonly sampleIntervals: Readonly<Record<MeasuredDataset, readonly number[]>>;
  readonly requests: readonly number[];
  readonly objects: ReadonlyMap<ResourceKey, ObjectDay>;
}

/** What was counted of an object in a day. */
interface ObjectDay {
  /** The beginnings of the service's ids by which it was counted; a rule that is created again has another id. */
  readonly ids: readonly string[];
  /** Whether it is known to have been live. */
  readonly isLive: readonly boolean[];
  readonly counts: ReadonlyMap<string, readonly number[]>;
  /** Digests of what a policy did, where it was the same in the whole hour; "" if that is not known, and for rules. */
  readonly forms: readonly string[];
}

/** A declared object, and what the service counts it by. */
export interface MeasuredObject {
  readonly key: ResourceKey;
  /** Ids of the rule, of the ruleset that it executes, or of the policy. */
  readonly ids: readonly string[];
  /** The first hour in which it is known to be live, and the last one, as hours since 1970. */
  readonly since: number;
  readonly until: number;
  /** Digest of what a policy does, and the first hour in which it did only that. */
  readonly form?: string;
  readonly formSince?: number;
}

/** A group of an answer. */
export interface CountRow {
  /** Hours since 1970, or whatever unit of time was asked for. */
  readonly nth: number;
  /** Ids of the rule and its ruleset, or of the policy; none for requests. */
  readonly ids: readonly string[];
  readonly action: string;
  readonly count: number;
  readonly sampleInterval: number;
}

/** What a read of some hours gave. */
export type HoursRead =
  | { readonly result: "measured"; readonly rows: readonly CountRow[] }
  | { readonly result: "refused"; readonly reason: RefusedReason }
  | { readonly result: "failed"; readonly why: string };

const allHours = Array.from({ length: hoursOfDay }, (_, hour) => hour);

// Shared by all records: a fleet has many, of which most lists are empty.
const noStates = allHours.map((): HourState => "missing");
const zeros = allHours.map(() => 0);
const never = allHours.map(() => false);
const noForms = allHours.map(() => "");

/** A day of which nothing was read. */
export function emptyDay(zone: string, day: string): DayRecord {
  return {
    zone,
    day,
    hours: ofEachDataset(() => noStates),
    sampleIntervals: ofEachDataset(() => zeros),
    requests: zeros,
    objects: new Map(),
  };
}

/** How many characters of an id tell it from the others of a zone. */
const idLength = 12;

/** The beginning of an id, as a record has it. */
export function shortId(id: string): string {
  return id.slice(0, idLength);
}

/**
 * A record with what a read gave. What was measured before is replaced only by what is measured now.
 *
 * @param hours of the day, from 0 to 23.
 * @param objects all that are counted in the zone.
 */
export function withRead(
  record: DayRecord,
  dataset: MeasuredDataset,
  hours: readonly number[],
  read: HoursRead,
  objects: readonly MeasuredObject[],
): DayRecord {
  const firstHour = firstHourOf(record.day);
  const isRead = (hour: number): boolean => hours.includes(hour);
  if (read.result !== "measured") {
    const state = read.result === "refused" ? read.reason : "failed";
    const states = record.hours[dataset].map((before, hour) =>
      isRead(hour) && before !== "measured" ? state : before,
    );
    return { ...record, hours: { ...record.hours, [dataset]: states } };
  }
  const rows = read.rows.map((row) => ({ ...row, nth: row.nth - firstHour }));
  const put = (list: readonly number[], of: (hour: number) => number): readonly number[] =>
    list.map((before, hour) => (isRead(hour) ? of(hour) : before));
  const intervals = put(record.sampleIntervals[dataset], (hour) =>
    intervalOf(rows.filter((row) => row.nth === hour)),
  );
  const next: DayRecord = {
    ...record,
    hours: {
      ...record.hours,
      [dataset]: record.hours[dataset].map((before, hour) => (isRead(hour) ? "measured" : before)),
    },
    sampleIntervals: { ...record.sampleIntervals, [dataset]: intervals },
  };
  if (dataset === "requests") {
    const sum = (hour: number): number => sumOf(rows.filter((row) => row.nth === hour));
    return { ...next, requests: put(record.requests, sum) };
  }
  const counted = objects.filter(({ key }) => datasetOf(key) === dataset);
  const changed = counted.flatMap((object): readonly (readonly [ResourceKey, ObjectDay])[] => {
    const before = record.objects.get(object.key) ?? {
      ids: [],
      isLive: never,
      counts: new Map<string, readonly number[]>(),
      forms: noForms,
    };
    const known = new Set(object.ids.map(shortId));
    const own = rowsOfIds(rows, object.ids);
    const actions = new Set([...before.counts.keys(), ...own.map(({ action }) => action)]);
    const counts = [...actions].map((action) => {
      const ofAction = own.filter((row) => row.action === action);
      const sums = put(before.counts.get(action) ?? zeros, (hour) =>
        sumOf(ofAction.filter((row) => row.nth === hour)),
      );
      return [action, sums] as const;
    });
    const isLive = before.isLive.map((was, hour) => {
      const at = firstHour + hour;
      const isKnown = object.since <= at && at <= object.until;
      return isRead(hour) ? isKnown || own.some((row) => row.nth === hour) || was : was;
    });
    const ids = [...new Set([...before.ids, ...known])];
    const { form = "", formSince = Infinity } = object;
    const forms = before.forms.map((was, hour) =>
      isRead(hour) && formSince <= firstHour + hour ? form : was,
    );
    const day = { ids, isLive, counts: new Map(counts), forms };
    return isLive.includes(true) ? [[object.key, day]] : [];
  });
  return { ...next, objects: new Map([...record.objects, ...changed]) };
}

/** The rows of an object that is counted by ids, or by their beginnings. */
export function rowsOfIds(rows: readonly CountRow[], ids: readonly string[]): readonly CountRow[] {
  const known = new Set(ids.map(shortId));
  return rows.filter((row) => row.ids.some((id) => known.has(shortId(id))));
}

/** How rough the rows of one time are: 1 if they are exact. */
export function intervalOf(rows: readonly CountRow[]): number {
  return Math.max(1, ...rows.map(({ sampleInterval }) => sampleInterval));
}

export function sumOf(rows: readonly CountRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/**
 * The count of an hour.
 *
 * @param what an object, or all requests of the zone.
 * @param hour from 0 to 23.
 */
export function countIn(
  record: DayRecord | undefined,
  what: ResourceKey | "requests",
  hour: number,
): HourCount {
  if (record === undefined) return { state: "missing" };
  const dataset = what === "requests" ? what : datasetOf(what);
  const state = record.hours[dataset][hour] ?? "missing";
  if (state === "denied" || state === "unavailable") return { state: "refused", reason: state };
  if (state !== "measured") return { state };
  const sampleInterval = record.sampleIntervals[dataset][hour] ?? 1;
  if (what === "requests") {
    return { state, count: record.requests[hour] ?? 0, actions: {}, sampleInterval };
  }
  const object = record.objects.get(what);
  if (object?.isLive[hour] !== true) return { state: "undeclared" };
  const counts = [...object.counts].flatMap(([action, list]) => {
    const count = list[hour] ?? 0;
    return count === 0 ? [] : [[action, count] as const];
  });
  const count = counts.reduce((sum, [, one]) => sum + one, 0);
  return { state, count, actions: Object.fromEntries(counts), sampleInterval };
}

const letters: Readonly<Record<HourState, string>> = {
  measured: "m",
  denied: "d",
  unavailable: "u",
  failed: "f",
  missing: ".",
};

const statesByLetter = new Map(hourStates.map((state) => [letters[state], state]));

/**
 * The text of a record, on one line. A list of hours has numbers of base 36 between commas, without zeros: a usual zone takes
 * less than 2 KB.
 */
export function dayRecordText({ zone, day, requests, objects, ...record }: DayRecord): string {
  const hours = datasets.map((dataset) => {
    const states = record.hours[dataset].map((state) => letters[state]).join("");
    return [dataset, states.replace(/\.+$/, "")] as const;
  });
  const sampled = datasets.map((dataset) => {
    const tenths = record.sampleIntervals[dataset].map((one) =>
      one > 1 ? Math.ceil(one * 10) : 0,
    );
    return [dataset, numbersText(tenths)] as const;
  });
  return JSON.stringify({
    zone,
    day,
    hours: withoutEmpty(hours),
    sampled: withoutEmpty(sampled),
    requests: numbersText(requests),
    objects: Object.fromEntries([...objects].map(([key, object]) => [key, objectJson(object)])),
  });
}

/** The ids, the hours in which it was live as bits, the counts by action, and the forms. */
function objectJson({ ids, isLive, counts, forms }: ObjectDay): Json {
  const texts = [...counts].map(([action, list]) => [action, numbersText(list)] as const);
  const bits = isLive.reduce((sum, live, hour) => (live ? sum + 2 ** hour : sum), 0);
  const known = forms.some((form) => form !== "") ? [formsText(forms)] : [];
  return [ids.join(" "), bits.toString(36), withoutEmpty(texts), ...known];
}

/** Each form where it begins; `-` for none. */
function formsText(forms: readonly string[]): string {
  const texts = forms.map((form, hour) => (form === (forms[hour - 1] ?? "") ? "" : form || "-"));
  return texts.join(",").replace(/,+$/, "");
}

function withoutEmpty(texts: readonly (readonly [string, string])[]): JsonObject {
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

function numbersText(numbers: readonly number[]): string {
  const texts = numbers.map((one) => (one === 0 ? "" : one.toString(36)));
  return texts.join(",").replace(/,+$/, "");
}

/** Reads the text of the record of a zone and day; `undefined` if it is not one: then nothing is known of that day. */
export function dayRecordOf(
  zone: string,
  day: string,
  text: string | undefined,
): DayRecord | undefined {
  const json = parseJson(text ?? "");
  if (!isJsonObject(json) || json["zone"] !== zone || json["day"] !== day) return undefined;
  try {
    const [hours, sampled] = [coerceObject(json["hours"]), coerceObject(json["sampled"])];
    const states = ofEachDataset((dataset) => statesIn(hours[dataset]));
    return {
      zone,
      day,
      hours: states,
      sampleIntervals: ofEachDataset((dataset) =>
        numbersIn(sampled[dataset]).map((interval, hour) =>
          states[dataset][hour] === "measured" ? Math.max(1, interval / 10) : 0,
        ),
      ),
      requests: numbersIn(json["requests"]),
      objects: new Map(Object.entries(coerceObject(json["objects"])).map(objectIn)),
    };
  } catch (error) {
    if (error instanceof DamagedRecord) return undefined;
    throw error;
  }
}

class DamagedRecord extends Error {}

function statesIn(json: unknown): readonly HourState[] {
  const text = coerceText(json ?? "");
  if (text.length > hoursOfDay) throw new DamagedRecord();
  return allHours.map((hour) => {
    const state = statesByLetter.get(text[hour] ?? ".");
    if (state === undefined) throw new DamagedRecord();
    return state;
  });
}

function numbersIn(json: unknown): readonly number[] {
  const text = coerceText(json ?? "");
  if (text === "") return zeros;
  const parts = text.split(",");
  if (parts.length > hoursOfDay) throw new DamagedRecord();
  return allHours.map((hour) => (parts[hour] ? numberIn(parts[hour]) : 0));
}

function numberIn(text: string): number {
  const number = /^[0-9a-z]{1,10}$/.test(text) ? Number.parseInt(text, 36) : Infinity;
  if (!Number.isSafeInteger(number)) throw new DamagedRecord();
  return number;
}

function objectIn([name, json]: readonly [string, unknown]): readonly [ResourceKey, ObjectDay] {
  const [ids, live, counts, forms = ""] = coerceList(json).values();
  if (!isKey(name) || coerceText(ids) === "") throw new DamagedRecord();
  const bits = numberIn(coerceText(live));
  const isLive = allHours.map((hour) => Math.floor(bits / 2 ** hour) % 2 === 1);
  const lists = Object.entries(coerceObject(counts)).map(
    ([action, list]) => [action, numbersIn(list)] as const,
  );
  const day: ObjectDay = {
    ids: coerceText(ids).split(" "),
    isLive,
    counts: new Map(lists),
    forms: formsIn(coerceText(forms)),
  };
  return [name, day];
}

function formsIn(text: string): readonly string[] {
  if (text === "") return noForms;
  const parts = text.split(",");
  if (parts.length > hoursOfDay || !/^(?:(?:[0-9a-f]{8}|-)?(?:,|$))*$/.test(text)) {
    throw new DamagedRecord();
  }
  let form = "";
  return allHours.map((hour) => {
    const part = parts[hour] || form;
    form = part === "-" ? "" : part;
    return form;
  });
}

function isKey(name: string): name is ResourceKey {
  return listedKinds.some((kind) => name.startsWith(`${kind}/`));
}
