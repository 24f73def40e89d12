import type { FoundAuthors } from "../audit/drift-authors.ts";
import type { FormerTerm } from "../audit/own-entries.ts";
import { authorFrom } from "../history/history-json.ts";
import { isHash } from "../plan/guard/release.ts";
import type { AdoptedRule } from "../plan/ownership.ts";
import type { StoredGone, StoredHalt, StoredHold } from "../reconcile/fleet/desired-fleet.ts";
import type { Moments } from "../reconcile/fleet/fleet-past.ts";
import type { Corrections } from "../reconcile/run/run-store.ts";
import { noSteps, type StepState, type ZoneSteps } from "../reconcile/steps/step-state.ts";
import { authorsJson } from "../render/plan-json.ts";
import { scriptWatchFrom, scriptWatchText } from "../render/scripts/scripts-json.ts";
import { rolloutHalts } from "../state/load-report.ts";
import type { ScriptWatch } from "../state/scripts/script-watch.ts";
import {
  coerceDate,
  coerceList,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
  type Json,
  type JsonObject,
  parseJson,
  parseName,
} from "../syntax/json.ts";
import type { SentWrite } from "../zone/audit-entry.ts";
import type { ZoneLabels } from "../zone/desired-zone.ts";
import { kinds, type ResourceKey, type RuleKind, ruleKinds } from "../zone/resource.ts";
import { isServiceId } from "../zone/service-id.ts";
import { zoneName } from "../zone/zone.ts";

/** How a value becomes the text of a key and back. */
export interface Codec<T> {
  /** The text; `undefined`: nothing has to be stored. */
  readonly encode: (value: T) => string | undefined;
  /** The value; `undefined` as text: nothing is stored. What is stored wrongly counts as not stored. */
  readonly decode: (text: string | undefined) => T;
}

/** A text as it is; "" if nothing is stored. */
export const text: Codec<string> = {
  encode: (value) => value,
  decode: (stored) => stored ?? "",
};

/** A list of texts. */
export const texts: Codec<readonly string[]> = {
  encode: (value) => JSON.stringify(value),
  decode: (stored) => coerceTexts(jsonIn(stored)),
};

/** A moment. */
export const date: Codec<Date | undefined> = {
  encode: (value) => value?.toISOString(),
  decode: coerceDate,
};

/** Moments by name. */
export const moments: Codec<Moments> = {
  encode: objectText,
  decode: (stored) => {
    const entries = Object.entries(coerceObject(jsonIn(stored)));
    return new Map(entries.flatMap(([name, at]) => (typeof at === "number" ? [[name, at]] : [])));
  },
};

/** The labels of a zone. */
export const labels: Codec<ZoneLabels> = {
  encode: (value) => objectText(new Map(Object.entries(value))),
  decode: (stored) => {
    const entries = Object.entries(coerceObject(jsonIn(stored)));
    return Object.fromEntries(
      entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
    );
  },
};

/** When fields were corrected. */
export const corrections: Codec<Corrections> = {
  encode: objectText,
  decode: (stored) =>
    new Map(
      Object.entries(coerceObject(jsonIn(stored))).map(([field, times]) => [
        currentKey(field),
        coerceList(times).filter((time) => typeof time === "number"),
      ]),
    ),
};

/** Adopted rules. If one of them is not whole, none was adopted. */
export const adoptedRules: Codec<readonly AdoptedRule[]> = {
  encode: (rules) =>
    rules.length === 0
      ? undefined
      : JSON.stringify(rules.map(({ kind, id, ref, key }) => ({ kind, id, ref, key }))),
  decode: (stored) => {
    const rules = coerceObjects(jsonIn(stored)).map(({ kind, id, ref, key }) => ({
      kind: ruleKindOf(kind),
      id: coerceText(id),
      ref: coerceText(ref),
      key: coerceText(key),
    }));
    return rules.every(isWhole) ? rules : [];
  },
};

/** Before there were other kinds, all rules were of the managed phase. */
function ruleKindOf(stored: Json | undefined): RuleKind {
  return parseName(ruleKinds, stored) ?? "managed_rule";
}

/** A stored key as it is called now: before there were other kinds, managed rules were called rules. */
function currentKey(stored: string): string {
  return stored.replace(/^rule\//, "managed_rule/");
}

function isResourceKey(key: string): key is ResourceKey {
  return kinds.some((kind) => key.startsWith(`${kind}/`));
}

function isWhole({ id, ref, key }: AdoptedRule): boolean {
  return isServiceId(id) && ref !== "" && key !== "";
}

/** The authors of the drift of resources. */
export const authors: Codec<ReadonlyMap<ResourceKey, FoundAuthors>> = {
  encode: (found) =>
    objectText(
      new Map(
        [...found].map(([key, { drift, authors: known }]) => [
          key,
          { drift, ...authorsJson({ authors: known }) },
        ]),
      ),
    ),
  decode: (stored) => {
    const found = coerceObject(jsonIn(stored));
    return new Map(
      Object.entries(found).flatMap(([name, value]) => {
        const key = currentKey(name);
        if (!isResourceKey(key)) return [];
        const { drift, authors: known } = coerceObject(value);
        const entries = coerceObjects(known).flatMap(authorFrom);
        return [[key, { drift: coerceText(drift), authors: entries }] as const];
      }),
    );
  },
};

/** The last check of scripts. */
export const scriptWatch: Codec<ScriptWatch | undefined> = {
  encode: (watch) => (watch === undefined ? undefined : scriptWatchText(watch)),
  decode: (stored) => (stored === undefined ? undefined : scriptWatchFrom(stored)),
};

/** What a term passed on. If one of its writes cannot be read, its entry would count as another's: all is unknown. */
export const formerTerm: Codec<FormerTerm | undefined> = {
  encode: (term) => JSON.stringify(term),
  decode: (stored) => {
    const json = coerceObject(jsonIn(stored));
    const [since, until] = [coerceDate(json["since"]), coerceDate(json["until"])];
    if (since === undefined || until === undefined) return undefined;
    const sent = json["writes"];
    if (!Array.isArray(sent)) return undefined;
    const writes = coerceObjects(sent).flatMap((each) => sentWriteIn(each) ?? []);
    if (writes.length < sent.length) return undefined;
    return { since, until, writes, elsewhere: coerceTexts(json["elsewhere"]) };
  },
};

/** A revision that is held. */
export const heldRevision: Codec<StoredHold | undefined> = {
  encode: (held) => JSON.stringify(held),
  decode: (stored) => {
    const json = coerceObject(jsonIn(stored));
    const [revision, message] = [coerceText(json["revision"]), coerceText(json["message"])];
    const hash = coerceText(json["hash"]);
    if (revision === "" || message === "" || !isHash(hash)) return undefined;
    return {
      revision,
      message,
      hash,
      zones: coerceTexts(json["zones"]).flatMap((name) => zoneName(name) ?? []),
    };
  },
};

/** A rollout, without its zones. */
export interface RolloutHead {
  /** Hash of the active revision. */
  readonly revision: string;
  /** Of how many zones something is stored. */
  readonly zones: number;
}

/** What a person made of a rollout. What cannot be read counts as a pause, which a person ends. */
export const rolloutHalt: Codec<StoredHalt | undefined> = {
  encode: (halt) => (halt === undefined || halt.revision === "" ? undefined : JSON.stringify(halt)),
  decode: (stored) => {
    if (stored === undefined) return undefined;
    const { revision, halt: made } = coerceObject(jsonIn(stored));
    const halt = parseName(rolloutHalts, made);
    const isKnown = typeof revision === "string" && revision !== "" && halt !== undefined;
    return isKnown ? { revision, halt } : { revision: "", halt: "paused" };
  },
};

/** `undefined`: it is not known which zones wait. */
export const rolloutHead: Codec<RolloutHead | undefined> = {
  encode: (head) => JSON.stringify(head),
  decode: (stored) => {
    const { revision, zones } = coerceObject(jsonIn(stored));
    if (typeof revision !== "string" || typeof zones !== "number") return undefined;
    return revision === "" ? undefined : { revision, zones };
  },
};

/** Where objects stand on their steps. Of an object whose state cannot be read, nothing is known. */
export const steps: Codec<ZoneSteps> = {
  encode: ({ objects, pausedBy }) =>
    objects.size === 0 && pausedBy === undefined
      ? undefined
      : JSON.stringify({ paused: pausedBy, objects: Object.fromEntries(objects) }),
  decode: (stored) => {
    if (stored === undefined) return noSteps;
    const { paused, objects } = coerceObject(jsonIn(stored));
    const states = Object.entries(coerceObject(objects)).flatMap(([key, json]) => {
      const state = stepStateIn(coerceObject(json));
      return isResourceKey(key) && state !== undefined ? [[key, state] as const] : [];
    });
    return { objects: new Map(states), pausedBy: typeof paused === "string" ? paused : undefined };
  },
};

function stepStateIn({
  of,
  step,
  isLive,
  since,
  elapsedMs,
  isWatched,
  stop,
}: JsonObject): StepState | undefined {
  const isStep = typeof step === "string" || typeof step === "number";
  const isTimed = typeof elapsedMs === "number" && elapsedMs >= 0;
  if (typeof of !== "string" || !isStep || !isTimed) return undefined;
  if (typeof isLive !== "boolean" || typeof isWatched !== "boolean") return undefined;
  if (since !== undefined && typeof since !== "number") return undefined;
  const known = { of, step, isLive, since, elapsedMs, isWatched };
  if (stop === undefined) return { ...known, stop };
  const found = stopIn(coerceObject(stop));
  return found && { ...known, stop: found };
}

function stopIn({ declared, from, at, cause }: JsonObject): StepState["stop"] {
  const moment = coerceDate(at);
  const isFrom = from === undefined || typeof from === "string" || typeof from === "number";
  if (typeof declared !== "string" || moment === undefined || !isFrom) return undefined;
  const { by, count, requests } = coerceObject(cause);
  if (typeof by === "string") return { declared, from, at: moment, cause: { by } };
  if (typeof count !== "number" || typeof requests !== "number") return undefined;
  return { declared, from, at: moment, cause: { count, requests } };
}

/** A zone of a rollout. It may have gone with one revision, and wait with the next one. */
export interface RolloutZone {
  /** If the zone waits: hash of the revision that declares what is in force; "": that is not known. */
  readonly waits?: string | undefined;
  /** If the zone went. */
  readonly gone?: StoredGone | undefined;
}

/** `undefined`: nothing is known of the zone. */
export const rolloutZone: Codec<RolloutZone | undefined> = {
  encode: (zone) =>
    zone &&
    JSON.stringify({
      waits: zone.waits,
      gone: zone.gone && {
        former: zone.gone.former,
        hash: zone.gone.hash,
        origin: zone.gone.origin,
        at: zone.gone.appliedAt,
        changed: zone.gone.changed,
      },
    }),
  decode: (stored) => {
    const json = coerceObject(jsonIn(stored));
    const [waits, gone] = [json["waits"], goneIn(json["gone"])];
    const isText = waits === undefined || typeof waits === "string";
    if (!isText || gone === "unreadable") return undefined;
    return waits === undefined && gone === undefined ? undefined : { waits, gone };
  },
};

function goneIn(json: Json | undefined): StoredGone | "unreadable" | undefined {
  if (json === undefined) return undefined;
  const { former, hash, origin, at, changed: keys } = coerceObject(json);
  if (typeof former !== "string" || typeof hash !== "string") return "unreadable";
  if (typeof origin !== "string") return "unreadable";
  if (at !== undefined && typeof at !== "number") return "unreadable";
  const changed = coerceTexts(keys).filter(isResourceKey);
  if (!Array.isArray(keys) || changed.length < keys.length) return "unreadable";
  return { former, hash, origin, appliedAt: at, changed };
}

function sentWriteIn(json: JsonObject): SentWrite | undefined {
  const [method, path] = [coerceText(json["method"]), coerceText(json["path"])];
  const sentAt = coerceDate(json["sentAt"]);
  if (method === "" || path === "" || sentAt === undefined) return undefined;
  return {
    method,
    path,
    sentAt,
    // The process has ended: no answer comes any more.
    endedAt: coerceDate(json["endedAt"]) ?? sentAt,
    isAnswered: json["isAnswered"] === true,
    ray: coerceText(json["ray"]),
    entryId: coerceText(json["entryId"]),
  };
}

function objectText(values: ReadonlyMap<string, unknown>): string | undefined {
  return values.size === 0 ? undefined : JSON.stringify(Object.fromEntries(values));
}

function jsonIn(stored: string | undefined): unknown {
  return stored === undefined ? undefined : parseJson(stored);
}
