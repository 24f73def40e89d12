import { wireCodes } from "../../api/wire.ts";
import { accountIn, identifierIn, permissions, zoneIn } from "../http/access.ts";
import { refused, unpublishedCodes } from "../http/api-error.ts";
import {
  type Answer,
  type Call,
  type CursorInfo,
  type Endpoint,
  emptied,
  shown,
  stored,
} from "../http/endpoint.ts";
import type { FieldReader } from "../http/fields.ts";
import { badQuery, queryInteger } from "../http/query.ts";
import type { Owner, Ruleset, StoredRuleset } from "../state.ts";
import { managedRulesets } from "./managed.ts";
import { phases } from "./phases.ts";
import {
  type Maker,
  emptyRuleset,
  entrypointKind,
  entrypointOf,
  executedBy,
  nextVersion,
  replacedRules,
  rulesetFields,
  withRuleset,
} from "./ruleset.ts";

/** Rulesets live at zones and at accounts, with the same operations below two prefixes. */
export interface RulesetLevel {
  readonly noun: "zone" | "account";
  /** The noun with its article. */
  readonly one: "a zone" | "an account";
  readonly prefix: string;
  readonly read: { readonly permissions: readonly string[]; readonly dryRun: false };
  readonly write: { readonly permissions: readonly string[]; readonly dryRun: true };
  ownerIn(call: Call): Owner;
}

/** Both levels. */
export const rulesetLevels: readonly RulesetLevel[] = [
  {
    noun: "zone",
    one: "a zone",
    prefix: "/zones/:zone_id/rulesets",
    read: { permissions: permissions.zoneRulesetsRead, dryRun: false },
    write: { permissions: permissions.zoneRulesetsWrite, dryRun: true },
    ownerIn: zoneIn,
  },
  {
    noun: "account",
    one: "an account",
    prefix: "/accounts/:account_id/rulesets",
    read: { permissions: permissions.accountRulesetsRead, dryRun: false },
    write: { permissions: permissions.accountRulesetsWrite, dryRun: true },
    ownerIn: accountIn,
  },
];

/** The managed rulesets that a zone or account may use: free zones have few (SERVICE.md B.7). */
export function managedFor(owner: Owner): readonly Ruleset[] {
  const all = [...managedRulesets.values()];
  if (owner.level === "account" || owner.plan !== "free") return all;
  return all.filter(({ name, phase }) => name.includes("Free") || !phase.includes("firewall"));
}

/** The ruleset in the path: the owner's own, or a managed one, which both levels can read. */
export function rulesetIn(call: Call, owner: Owner): StoredRuleset {
  const id = identifierIn(call, "ruleset_id");
  const own = owner.rulesets.find(({ current }) => current.id === id);
  if (own !== undefined) return own;
  const managed = managedFor(owner).find((ruleset) => ruleset.id === id);
  if (managed !== undefined) return { current: managed, past: [] };
  throw refused(404, unpublishedCodes.rulesetNotFound, `could not find ruleset ${id}`);
}

/** The ruleset in the path, for a write: managed ones cannot be written. */
export function ownRulesetIn(call: Call, owner: Owner): StoredRuleset {
  const found = rulesetIn(call, owner);
  if (found.current.kind !== "managed") return found;
  throw refused(400, unpublishedCodes.ruleset, "managed rulesets cannot be modified");
}

/** The phase in the path. */
export function phaseIn(call: Call): string {
  const given = call.param("ruleset_phase");
  if (phases.some((phase) => phase === given)) return given;
  throw refused(400, unpublishedCodes.ruleset, `'${given}' is not a valid value for phase`);
}

const mostPerPage = 50;

/** Rulesets as wholes (SERVICE.md B.1, B.3). */
export function rulesetEndpoints(level: RulesetLevel): readonly Endpoint[] {
  const { noun, one, prefix, read, write } = level;
  const single = `${prefix}/:ruleset_id`;
  return [
    {
      ...read,
      method: "GET",
      path: prefix,
      summary: `List ${noun} rulesets`,
      handle: (call) => listed(call, level.ownerIn(call)),
    },
    {
      ...write,
      method: "POST",
      path: prefix,
      summary: `Create ${one} ruleset`,
      handle: (call) => created(call, level.ownerIn(call)),
    },
    {
      ...read,
      method: "GET",
      path: single,
      summary: `Get ${one} ruleset`,
      handle: (call) => shown(rulesetIn(call, level.ownerIn(call)).current),
    },
    {
      ...write,
      method: "PUT",
      path: single,
      summary: `Update ${one} ruleset`,
      handle: (call) => {
        const owner = level.ownerIn(call);
        const before = ownRulesetIn(call, owner);
        const fields = rulesetFields(call.body());
        fields.only(["name", "description", "kind", "phase", "rules"]);
        return writtenAnswer(owner, updated(fields, before, owner, makerOf(call)));
      },
    },
    {
      ...write,
      method: "DELETE",
      path: single,
      summary: `Delete ${one} ruleset`,
      handle: (call) => deleted(level.ownerIn(call), call),
    },
  ];
}

/** A ruleset without its rules, as lists show it. */
export function headOf({ rules: _rules, ...head }: Ruleset): Omit<Ruleset, "rules"> {
  return head;
}

/** What writing a ruleset in this request may use. */
export function makerOf({ now, store }: Call): Maker {
  return { now, newId: () => store.newId() };
}

/** The answer of every write to a ruleset: the whole ruleset (SERVICE.md B.1). */
export function writtenAnswer(owner: Owner, ruleset: StoredRuleset): Answer {
  return stored(ruleset.current, withRuleset(owner, ruleset));
}

/** The next version of a ruleset from a PUT; without `rules` the rules stay (SERVICE.md B.3). */
export function updated(
  fields: FieldReader,
  before: StoredRuleset,
  owner: Owner,
  maker: Maker,
): StoredRuleset {
  for (const name of ["name", "kind", "phase"] as const) {
    const given = fields.text(name);
    const held = before.current[name];
    if (given === undefined || given === held) continue;
    throw fields.mistake(name, `the ${name} field cannot be modified: got ${given}, want ${held}`);
  }
  const description = fields.text("description");
  const items = fields.objects("rules");
  return nextVersion(
    before,
    {
      ...(description === undefined ? {} : { description }),
      ...(items === undefined ? {} : { rules: replacedRules(items, before.current, owner, maker) }),
    },
    maker.now,
  );
}

/** Own rulesets first, then the managed ones, whose versions a zone's credential can see this way (SERVICE.md B.1). */
function listed({ query }: Call, owner: Owner): Answer {
  const all = [...owner.rulesets.map(({ current }) => current), ...managedFor(owner)];
  const cursor = query.get("cursor");
  const start = cursor === null ? 0 : all.findIndex(({ id }) => cursorOf(id) === cursor) + 1;
  if (cursor !== null && start === 0) throw badQuery("cursor", "must be one that an answer gave");
  const page = all.slice(
    start,
    start + (queryInteger(query, "per_page", 1, mostPerPage) ?? mostPerPage),
  );
  const last = page.at(-1);
  const hasMore = last !== undefined && start + page.length < all.length;
  return shown(page.map(headOf), hasMore ? cursorInfo(last.id) : undefined);
}

/** The schema has `cursors.after`; the official client reads `cursor`. */
function cursorInfo(id: string): CursorInfo {
  const after = cursorOf(id);
  return { cursors: { after }, cursor: after };
}

function cursorOf(id: string): string {
  return Buffer.from(id).toString("base64url");
}

function created(call: Call, owner: Owner): Answer {
  const fields = rulesetFields(call.body());
  fields.only(["name", "description", "kind", "phase", "rules"]);
  const facts = {
    name: fields.required("name", fields.text("name")),
    kind: kindIn(fields, owner),
    phase: fields.required("phase", fields.oneOf("phase", phases)),
  };
  if (facts.name === "") throw fields.mistake("name", "name must not be empty");
  if (facts.kind !== "custom" && entrypointOf(owner, facts.phase) !== undefined) {
    throw refused(
      400,
      wireCodes.secondEntrypoint,
      `'${facts.kind}' is not a valid value for kind because exceeded maximum number of ${facts.kind} rulesets for phase ${facts.phase}`,
      "/kind",
    );
  }
  const empty = emptyRuleset(call.store.newId(), facts);
  const { current, past } = nextVersion(empty, {}, call.now);
  const description = fields.text("description") ?? "";
  const rules = replacedRules(fields.objects("rules") ?? [], empty, owner, makerOf(call));
  return writtenAnswer(owner, { current: { ...current, description, rules }, past });
}

function kindIn(fields: FieldReader, owner: Owner): string {
  const kind = fields.required("kind", fields.oneOf("kind", ["managed", "custom", "root", "zone"]));
  const allowed: readonly string[] = [
    entrypointKind(owner),
    ...(owner.level === "account" ? ["custom"] : []),
  ];
  if (allowed.includes(kind)) return kind;
  throw fields.mistake(
    "kind",
    `'${kind}' is not a valid value for kind at the ${owner.level} level`,
  );
}

function deleted(owner: Owner, call: Call): Answer {
  const { current } = ownRulesetIn(call, owner);
  const user = owner.rulesets.find(({ current: other }) =>
    other.rules.some((rule) => executedBy(rule) === current.id),
  );
  if (user !== undefined) {
    throw refused(
      400,
      unpublishedCodes.rulesetInUse,
      `ruleset ${current.id} is executed by a rule of ruleset ${user.current.id}`,
    );
  }
  const rulesets = owner.rulesets.filter(({ current: other }) => other.id !== current.id);
  return emptied({ ...owner, rulesets });
}
