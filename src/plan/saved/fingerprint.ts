import { sha256 } from "../../syntax/digest.ts";
import { type Json, canonicalJson, coerceText } from "../../syntax/json.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import { settingNames } from "../../zone/resource.ts";
import { type Write, type ZonePart, partOf } from "../../zone/write.ts";
import type { Plan } from "../plan.ts";
import { withMarkOf } from "../policies/policy-match.ts";
import { isAlreadyApplied } from "./already-applied.ts";

/** The state of each live object that the writes of a plan depend on, at the time of the plan. */
export type Fingerprints = Readonly<Record<string, string>>;

/** A plan that can be applied later, unless its live objects have changed. */
export interface SavedPlan {
  readonly plan: Plan;
  readonly fingerprints: Fingerprints;
}

/** Which writes of a saved plan may be sent. */
export interface Freshness {
  /** Live objects that changed since the plan was made, other than to its target. */
  readonly stale: readonly string[];
  /** Writes that are already applied, for example by an interrupted apply. */
  readonly done: readonly Write[];
  readonly send: readonly Write[];
  /** The first write that touches a stale object, and all later ones that are not done: the order of the writes matters. */
  readonly held: readonly Write[];
}

/** The fingerprints of all live objects that the writes of a plan touch. */
export function fingerprintsOf({ writes }: Plan, live: LiveZone): Fingerprints {
  return Object.fromEntries(writes.flatMap((write) => objectsOf(write, live)));
}

/** Compares a saved plan with the live state. */
export function freshnessOf({ plan, fingerprints }: SavedPlan, live: LiveZone): Freshness {
  const isStale = ([name, print]: LiveObject) => fingerprints[name] !== print;
  const staleOf = (write: Write): readonly LiveObject[] => [
    ...objectsOf(write, live).filter(isStale),
    ...missingTwin(write, plan, live),
  ];
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

/** The parts of a zone that must be read before a saved plan is applied. */
export function partsTouched({ writes }: Plan): Readonly<Record<ZonePart, boolean>> {
  const parts = new Set(writes.map(partOf));
  return {
    settings: parts.has("settings"),
    policies: parts.has("policies"),
    rules: parts.has("rules"),
  };
}

/** The policy that a duplicate is deleted in favour of, if it is gone: then the duplicate is the only one left. */
function missingTwin(
  write: Write,
  { changes }: Plan,
  { policies = [] }: LiveZone,
): readonly LiveObject[] {
  if (write.call !== "delete-policy") return [];
  const deletes = changes.filter((change) => change.verb === "delete");
  const isDuplicate = deletes.some(({ id, reason }) => id === write.id && reason === "duplicate");
  const live = policies.find(({ id }) => id === write.id);
  if (!isDuplicate || live === undefined) return [];
  const { owner = "", key = "" } = unmarked(live.description);
  // All policies of a key that is no longer declared are deleted.
  if (deletes.some((each) => each.reason === "undeclared" && each.key === `policy/${key}`)) {
    return [];
  }
  const ids = new Set(deletes.map(({ id }) => id));
  const stays = withMarkOf(live.description, policies).some(({ id }) => !ids.has(id));
  return stays ? [] : [[`mark/${owner}:${key}`, "gone"]];
}

type LiveObject = readonly [name: string, print: string];

/** The live objects that a write depends on. */
function objectsOf(write: Write, live: LiveZone): readonly LiveObject[] {
  switch (write.call) {
    case "update-settings":
      return settingNames
        .filter((name) => name in write.body)
        .map((name) => [`setting/${name}`, String(live.settings?.[name] ?? notFound)]);
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

/** A fingerprint that no plan has: an object that was not read may have changed, and one that is gone has. */
const notFound = "not found";

/** A new policy depends on its absence: a run whose answer was lost may have created it (SERVICE.md A.6). */
function absentPolicy(description: Json | undefined, { policies }: LiveZone): LiveObject {
  const { owner = "", key = "" } = unmarked(coerceText(description));
  const name = `mark/${owner}:${key}`;
  if (policies === undefined) return [name, notFound];
  return [name, withMarkOf(description, policies).length === 0 ? "nowhere" : "somewhere"];
}

function policy(id: string, { policies }: LiveZone): LiveObject {
  const found = policies?.find((each) => each.id === id);
  return [`policy/${id}`, found === undefined ? notFound : digest({ ...found })];
}

function entrypoint({ entrypoint: live }: LiveZone): LiveObject {
  if (live === undefined) return ["entrypoint", notFound];
  if (live.state === "absent") return ["entrypoint", "absent"];
  return ["entrypoint", `version ${live.version}, ${digest(live.rules.map(({ wire }) => wire))}`];
}

function rule(id: string, { entrypoint: live }: LiveZone): LiveObject {
  const rules = live?.state === "present" ? live.rules : [];
  const found = rules.find((each) => each.id === id);
  return [
    `rule/${id}`,
    found === undefined ? notFound : `version ${found.version}, ${digest(found.wire)}`,
  ];
}

function digest(value: Json): string {
  return `sha256:${sha256(canonicalJson(value)).slice(0, 32)}`;
}
