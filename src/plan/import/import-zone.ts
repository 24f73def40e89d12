import type { Declared, ZoneContent } from "../../zone/desired-zone.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { Kind, Policy, Rule } from "../../zone/resource.ts";
import { settingNames } from "../../zone/resource.ts";
import { plan } from "../plan.ts";
import type { Candidate, Candidates, LeftOut } from "./candidate.ts";
import { policyCandidates } from "./import-policies.ts";
import { ruleCandidates } from "./import-rules.ts";

/** What a zone declares so that a plan of it is empty, and what could not be declared. */
export interface Declaration {
  readonly content: ZoneContent;
  readonly leftOut: readonly LeftOut[];
}

/** What the language of the files says against some content; `undefined` where it can hold it. */
export type NotDeclarable = (content: ZoneContent) => string | undefined;

/**
 * The inverse of {@link plan}: declares what is live, so that the plan of the result is empty.
 *
 * What is not ours is declared where the plan would adopt it. What cannot be declared is left out and told, never
 * changed; where leaving it out would delete it, its whole kind is left out. A kind of which nothing is live is not
 * declared.
 */
export function declare(live: LiveZone, owner: string, objection: NotDeclarable): Declaration {
  const judge = { live, owner, objection };
  const policies = settle("policy", policyCandidates(live.policies ?? [], owner), {
    ...judge,
    contentOf: (items) => ({ ...nothing, policies: declared(items) }),
  });
  const rules = settle("rule", ruleCandidates(live, owner), {
    ...judge,
    contentOf: (items) => ({ ...nothing, rules: declared(items) }),
  });
  const { settings } = live;
  return {
    content: {
      ...nothing,
      settings:
        settings === undefined ? [] : settingNames.map((name) => ({ name, value: settings[name] })),
      policies: declared(policies.items),
      rules: declared(rules.items),
    },
    leftOut: [...policies.leftOut, ...rules.leftOut],
  };
}

const nothing: ZoneContent = {
  mode: "enforce",
  suspension: undefined,
  settings: [],
  policies: undefined,
  rules: undefined,
};

function declared<T>(items: readonly T[]): Declared<T> | undefined {
  return items.length === 0 ? undefined : { items, unmanaged: "report" };
}

interface Judge<T> {
  readonly live: LiveZone;
  readonly owner: string;
  readonly objection: NotDeclarable;
  readonly contentOf: (items: readonly T[]) => ZoneContent;
}

interface Settled<T> {
  readonly items: readonly T[];
  readonly leftOut: readonly LeftOut[];
}

/** A live thing, and the way in which it is declared. */
interface Held<T> {
  readonly candidate: Candidate<T>;
  readonly way: T;
}

function settle<T extends Policy | Rule>(
  kind: Kind,
  { candidates, leftOut }: Candidates<T>,
  judge: Judge<T>,
): Settled<T> {
  const told = [...leftOut];
  const held: Held<T>[] = [];
  for (const candidate of candidates) {
    const otherHolds = candidate.ways.map((way) => judge.objection(judge.contentOf([way])));
    const way = candidate.ways[otherHolds.indexOf(undefined)];
    if (way === undefined) told.push(leaveOut(kind, candidate, otherHolds[0] ?? ""));
    else held.push({ candidate, way });
  }
  const settled = withoutChanges(kind, held, judge);
  return { items: settled.items, leftOut: [...told, ...settled.leftOut] };
}

/** Leaves out what a plan would still change, until it changes nothing. */
function withoutChanges<T extends Policy | Rule>(
  kind: Kind,
  held: readonly Held<T>[],
  judge: Judge<T>,
): Settled<T> {
  const items = held.map(({ way }) => way);
  const content = judge.contentOf(items);
  const why = judge.objection(content);
  if (why !== undefined) return { items: [], leftOut: allLeftOut(kind, held, why) };

  const { changes } = plan({ zone: judge.live.zone, content }, judge.live, judge.owner);
  const [first] = changes;
  if (first === undefined) return { items, leftOut: held.flatMap(unknownFieldsOf(kind)) };
  const restless = new Set<string>(
    changes.filter(({ verb }) => verb !== "delete").map(({ key }) => key),
  );
  const isRestless = ({ way }: Held<T>): boolean => restless.has(`${kind}/${way.key}`);
  const calm = held.filter((each) => !isRestless(each));
  if (calm.length === held.length) {
    const reason = `declaring ${plural[kind]} of this zone would ${first.verb} ${first.key}`;
    return { items: [], leftOut: allLeftOut(kind, held, reason) };
  }
  const dropped = held
    .filter(isRestless)
    .map(({ candidate }) =>
      leaveOut(kind, candidate, "declared, it would not be known again at the service"),
    );
  const settled = withoutChanges(kind, calm, judge);
  return { items: settled.items, leftOut: [...dropped, ...settled.leftOut] };
}

const plural = { setting: "settings", policy: "policies", rule: "rules" } as const;

function allLeftOut<T>(kind: Kind, held: readonly Held<T>[], why: string): readonly LeftOut[] {
  return held.map(({ candidate }) => leaveOut(kind, candidate, why));
}

function leaveOut(kind: Kind, { id, title }: Candidate<unknown>, why: string): LeftOut {
  return { kind, id, title, why };
}

/** What declared things carry beyond the language: writes repeat it, but no file says it. */
function unknownFieldsOf(kind: Kind): (held: Held<unknown>) => readonly LeftOut[] {
  return ({ candidate }) => {
    if (candidate.unknown.length === 0) return [];
    const names = candidate.unknown.join(", ");
    const why = `is declared, but for what the files have no word for: ${names}`;
    return [leaveOut(kind, candidate, why)];
  };
}
