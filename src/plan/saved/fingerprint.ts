import { createHash } from "node:crypto";

import { type Json, canonicalJson, coerceText } from "../../syntax/json.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import { settingNames } from "../../zone/resource.ts";
import { type Write, type ZonePart, partOf } from "../../zone/write.ts";
import type { Plan } from "../plan.ts";
import { withMarkOf } from "../policies/policy-match.ts";
import { isAlreadyApplied } from "./already-applied.ts";

/** What the writes of a plan rest on, live object by live object, as it was when the plan was made. */
export type Fingerprints = Readonly<Record<string, string>>;

/** A plan that can be carried out later, if what it rests on has not moved. */
export interface SavedPlan {
  readonly plan: Plan;
  readonly fingerprints: Fingerprints;
}

/** Which writes of a saved plan may still be sent. */
export interface Freshness {
  /** Live objects that have moved since the plan was made, other than to what it wants. */
  readonly stale: readonly string[];
  /** Writes of which all is so already: an apply before this one got as far as that. */
  readonly done: readonly Write[];
  readonly send: readonly Write[];
  /** Writes that touch a stale object, and all after them that are not done: it is their order that keeps a zone protected. */
  readonly held: readonly Write[];
}

/** Takes the fingerprint of every live object that a plan's writes touch. */
export function fingerprintsOf({ writes }: Plan, live: LiveZone): Fingerprints {
  return Object.fromEntries(writes.flatMap((write) => objectsOf(write, live)));
}

/** Tells what has moved under a saved plan, and what of it may be sent. Of a plan that was carried out all is done. */
export function freshnessOf({ plan, fingerprints }: SavedPlan, live: LiveZone): Freshness {
  const isStale = ([name, print]: LiveObject) => fingerprints[name] !== print;
  const staleOf = (write: Write) => objectsOf(write, live).filter(isStale);
  const done = plan.writes.filter((write) => isAlreadyApplied(write, live));
  const open = plan.writes.filter((write) => !done.includes(write));
  const first = open.findIndex((write) => staleOf(write).length > 0);
  const end = first < 0 ? open.length : first;
  return {
    stale: open.flatMap((write) => staleOf(write).map(([name]) => name)),
    done,
    send: open.slice(0, end),
    held: open.slice(end),
  };
}

/** The parts of a zone that must be read again before a saved plan is carried out. */
export function partsTouched({ writes }: Plan): Readonly<Record<ZonePart, boolean>> {
  const parts = new Set(writes.map(partOf));
  return {
    settings: parts.has("settings"),
    policies: parts.has("policies"),
    rules: parts.has("rules"),
  };
}

/** A live object's name and its fingerprint. */
type LiveObject = readonly [name: string, print: string];

/** The live objects that a write rests on. */
function objectsOf(write: Write, live: LiveZone): readonly LiveObject[] {
  switch (write.call) {
    case "update-settings":
      return settingNames
        .filter((name) => name in write.body)
        .map((name) => [`setting/${name}`, String(live.settings?.[name] ?? unread)]);
    case "create-policy":
      return [absentPolicy(write.body["description"], live)];
    case "update-policy":
    case "delete-policy":
      return [policy(write.id, live)];
    case "create-rule":
    case "put-entrypoint":
      return [entrypoint(live)];
    case "update-rule":
      return write.position === null ? [rule(write.id, live)] : [entrypoint(live)];
    case "delete-rule":
      return [rule(write.id, live)];
  }
}

/** A fingerprint that equals none: what was not read cannot be known to be as it was. */
const unread = "not read";

/** What a new policy rests on: that nobody has made it since, as a run whose answer was lost may have (SERVICE.md A.6). */
function absentPolicy(description: Json | undefined, { policies }: LiveZone): LiveObject {
  const { owner = "", key = "" } = unmarked(coerceText(description));
  const holders = policies && withMarkOf(description, policies);
  const ids = holders?.map(({ id }) => id).toSorted();
  return [
    `mark/${owner}:${key}`,
    ids === undefined ? unread : ids.length === 0 ? "nowhere" : ids.join(" "),
  ];
}

function policy(id: string, { policies }: LiveZone): LiveObject {
  const found = policies?.find((each) => each.id === id);
  const gone = policies === undefined ? unread : "gone";
  return [`policy/${id}`, found === undefined ? gone : digest({ ...found })];
}

function entrypoint({ entrypoint: live }: LiveZone): LiveObject {
  if (live === undefined) return ["entrypoint", unread];
  if (live.state === "absent") return ["entrypoint", "absent"];
  return ["entrypoint", `version ${live.version}, ${digest(live.rules.map(({ wire }) => wire))}`];
}

function rule(id: string, { entrypoint: live }: LiveZone): LiveObject {
  const rules = live?.state === "present" ? live.rules : [];
  const found = rules.find((each) => each.id === id);
  const gone = live === undefined ? unread : "gone";
  return [
    `rule/${id}`,
    found === undefined ? gone : `version ${found.version}, ${digest(found.wire)}`,
  ];
}

function digest(value: Json): string {
  return `sha256:${createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32)}`;
}
