import { wireCodes } from "../../api/wire.ts";
import { accountIn, identifierIn, permissions, zoneIn } from "../http/access.ts";
import {
  type EndpointAnswer,
  type EndpointCall,
  type CursorInfo,
  type Endpoint,
  endpoint,
  found,
  noContent,
  type Operation,
  stored,
} from "../http/api-endpoint.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import { badQuery, queryInteger } from "../http/query.ts";
import type { Owner, EmulatedRuleset, StoredRuleset } from "../state.ts";
import { managedNow } from "./managed.ts";
import { phases } from "./phases.ts";
import {
  emptyRuleset,
  entryPointKind,
  entryPointOf,
  executedRuleset,
  nextVersion,
  replacedRules,
  rulesetFields,
  type RulesetWrite,
  withRuleset,
} from "./stored-ruleset.ts";

const maxPerPage = 50;

/** Zones and accounts have rulesets, with the same operations below two prefixes. */
export interface RulesetLevel {
  readonly noun: "zone" | "account";
  /** The noun with its article. */
  readonly one: "a zone" | "an account";
  readonly prefix: string;
  readonly readPermissions: readonly string[];
  readonly writePermissions: readonly string[];
  ownerIn(call: EndpointCall): Owner;
}

export const rulesetLevels: readonly RulesetLevel[] = [
  {
    noun: "zone",
    one: "a zone",
    prefix: "/zones/:zone_id/rulesets",
    readPermissions: permissions.zoneRulesetsRead,
    writePermissions: permissions.zoneRulesetsWrite,
    ownerIn: zoneIn,
  },
  {
    noun: "account",
    one: "an account",
    prefix: "/accounts/:account_id/rulesets",
    readPermissions: permissions.accountRulesetsRead,
    writePermissions: permissions.accountRulesetsWrite,
    ownerIn: accountIn,
  },
];

export function readEndpoint(
  level: RulesetLevel,
  path: string,
  summary: string,
  handle: (call: EndpointCall, owner: Owner) => EndpointAnswer,
): Endpoint {
  return endpoint("GET", path, summary, level.readPermissions, (call) =>
    handle(call, level.ownerIn(call)),
  );
}

/** An endpoint that writes rulesets of a level; all of them understand `dry_run`. */
export function writeEndpoint(
  level: RulesetLevel,
  method: Operation["method"],
  path: string,
  summary: string,
  handle: (call: EndpointCall, owner: Owner) => EndpointAnswer,
): Endpoint {
  const write = endpoint(method, path, summary, level.writePermissions, (call) =>
    handle(call, level.ownerIn(call)),
  );
  return { ...write, dryRun: true };
}

/**
 * An endpoint that updates the ruleset in its path and responds with all of it (SERVICE.md B.1).
 */
export function updateEndpoint(
  level: RulesetLevel,
  method: Operation["method"],
  path: string,
  summary: string,
  update: (call: EndpointCall, write: RulesetWrite) => StoredRuleset,
): Endpoint {
  return writeEndpoint(level, method, path, summary, (call, owner) =>
    storedRuleset(owner, update(call, writeOf(call, owner, ownRulesetIn(call, owner)))),
  );
}

/** Whole rulesets (SERVICE.md B.1, B.3). */
export function rulesetEndpoints(level: RulesetLevel): readonly Endpoint[] {
  const { noun, one, prefix } = level;
  const single = `${prefix}/:ruleset_id`;
  return [
    readEndpoint(level, prefix, `List ${noun} rulesets`, listRulesets),
    writeEndpoint(level, "POST", prefix, `Create ${one} ruleset`, createRuleset),
    readEndpoint(level, single, `Get ${one} ruleset`, (call, owner) =>
      found(rulesetIn(call, owner).current),
    ),
    updateEndpoint(level, "PUT", single, `Update ${one} ruleset`, (call, write) => {
      const fields = rulesetFields(call.body());
      fields.only(["name", "description", "kind", "phase", "rules"]);
      return updatedRuleset(fields, write);
    }),
    writeEndpoint(level, "DELETE", single, `Delete ${one} ruleset`, deleteRuleset),
  ];
}

/** The managed rulesets that a zone or account may use: free zones have few (SERVICE.md B.7). */
function managedFor({ store }: EndpointCall, owner: Owner): readonly StoredRuleset[] {
  const all = managedNow(store);
  if (owner.level === "account" || owner.plan !== "free") return all;
  return all.filter(
    ({ current: { name, phase } }) => name.includes("Free") || !phase.includes("firewall"),
  );
}

/** The ruleset in the path: the owner's own, or a managed one, which both levels can read. */
export function rulesetIn(call: EndpointCall, owner: Owner): StoredRuleset {
  const id = identifierIn(call, "ruleset_id");
  const own = owner.rulesets.find(({ current }) => current.id === id);
  if (own !== undefined) return own;
  const managed = managedFor(call, owner).find(({ current }) => current.id === id);
  if (managed !== undefined) return managed;
  throw apiError(404, unpublishedCodes.rulesetNotFound, `could not find ruleset ${id}`);
}

/** The ruleset in the path of a write: managed ones are read-only. */
export function ownRulesetIn(call: EndpointCall, owner: Owner): StoredRuleset {
  const ruleset = rulesetIn(call, owner);
  if (ruleset.current.kind !== "managed") return ruleset;
  throw apiError(400, unpublishedCodes.ruleset, "managed rulesets cannot be modified");
}

export function withoutRules({
  rules: _rules,
  ...others
}: EmulatedRuleset): Omit<EmulatedRuleset, "rules"> {
  return others;
}

export function writeOf(
  { now, store }: EndpointCall,
  owner: Owner,
  before: StoredRuleset,
): RulesetWrite {
  return { now, newId: () => store.newId(), isLenient: store.isLenient, owner, before };
}

/** The response to every write to a ruleset: the whole ruleset (SERVICE.md B.1). */
export function storedRuleset(owner: Owner, ruleset: StoredRuleset): EndpointAnswer {
  return stored(ruleset.current, withRuleset(owner, ruleset));
}

/** The next version of a ruleset after a PUT; without `rules` the rules stay (SERVICE.md B.3). */
export function updatedRuleset(fields: FieldReader, write: RulesetWrite): StoredRuleset {
  const { current } = write.before;
  for (const name of ["name", "kind", "phase"] as const) {
    const given = fields.text(name);
    if (given === undefined || given === current[name]) continue;
    const message = `the ${name} field cannot be modified: got ${given}, want ${current[name]}`;
    throw fields.error(name, message);
  }
  const description = fields.text("description") ?? current.description;
  const items = fields.objects("rules");
  const rules = items === undefined ? current.rules : replacedRules(items, write);
  return nextVersion(write.before, { description, rules }, write.now);
}

/** Own rulesets first, then the managed ones (SERVICE.md B.1). */
function listRulesets(call: EndpointCall, owner: Owner): EndpointAnswer {
  const { query } = call;
  const all = [...owner.rulesets, ...managedFor(call, owner)].map(({ current }) => current);
  const cursor = query.get("cursor");
  const start = cursor === null ? 0 : all.findIndex(({ id }) => cursorOf(id) === cursor) + 1;
  if (cursor !== null && start === 0) throw badQuery("cursor", "must be one that an answer gave");
  const perPage = queryInteger(query, "per_page", 1, maxPerPage) ?? maxPerPage;
  const page = all.slice(start, start + perPage);
  const last = page.at(-1);
  const hasMore = last !== undefined && start + page.length < all.length;
  return found(page.map(withoutRules), hasMore ? cursorInfo(last.id) : undefined);
}

/** The schema has `cursors.after`; the official client reads `cursor`. */
function cursorInfo(id: string): CursorInfo {
  const after = cursorOf(id);
  return { cursors: { after }, cursor: after };
}

function cursorOf(id: string): string {
  return Buffer.from(id).toString("base64url");
}

function createRuleset(call: EndpointCall, owner: Owner): EndpointAnswer {
  const fields = rulesetFields(call.body());
  fields.only(["name", "description", "kind", "phase", "rules"]);
  const name = fields.required("name", fields.text("name"));
  const kind = kindIn(fields, owner);
  const phase = fields.required("phase", fields.oneOf("phase", phases));
  if (name === "") throw fields.error("name", "name must not be empty");
  if (kind !== "custom" && entryPointOf(owner, phase) !== undefined) {
    throw apiError(
      400,
      wireCodes.secondEntrypoint,
      `'${kind}' is not a valid value for kind because exceeded maximum number of ${kind} rulesets for phase ${phase}`,
      "/kind",
    );
  }
  const before = emptyRuleset(call.store.newId(), { name, kind, phase });
  return storedRuleset(owner, updatedRuleset(fields, writeOf(call, owner, before)));
}

function kindIn(fields: FieldReader, owner: Owner): string {
  const kind = fields.required("kind", fields.oneOf("kind", ["managed", "custom", "root", "zone"]));
  if (kind === entryPointKind(owner) || (kind === "custom" && owner.level === "account")) {
    return kind;
  }
  const message = `'${kind}' is not a valid value for kind at the ${owner.level} level`;
  throw fields.error("kind", message);
}

function deleteRuleset(call: EndpointCall, owner: Owner): EndpointAnswer {
  const { id } = ownRulesetIn(call, owner).current;
  const user = owner.rulesets.find(({ current }) =>
    current.rules.some((rule) => executedRuleset(rule) === id),
  );
  if (user !== undefined) {
    const message = `ruleset ${id} is executed by a rule of ruleset ${user.current.id}`;
    throw apiError(400, unpublishedCodes.rulesetInUse, message);
  }
  return noContent({
    ...owner,
    rulesets: owner.rulesets.filter(({ current }) => current.id !== id),
  });
}
