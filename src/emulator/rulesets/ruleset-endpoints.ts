import { wireCodes } from "../../api/wire.ts";
import { accountIn, identifierIn, permissions, zoneIn } from "../http/access.ts";
import type { EndpointAnswer, EndpointCall, Endpoint, Operation } from "../http/api-endpoint.ts";
import { apiError, routeNotFound, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import { pageAfter, queryInteger } from "../http/query.ts";
import type { EmulatedRule, EmulatedRuleset, Owner, StoredRuleset } from "../state.ts";
import type { RulesetWrite } from "./action-parameters.ts";
import { managedNow } from "./managed.ts";
import { customRulesetLimit, phases } from "./phases.ts";
import {
  emptyRuleset,
  entryPointKind,
  entryPointOf,
  executedRuleset,
  rulesetFields,
  updatedRuleset,
  withNewRule,
  withoutRule,
  withRuleset,
  withUpdatedRule,
} from "./stored-ruleset.ts";

const maxPerPage = 50;

/** Zones and accounts have rulesets, with the same operations below two prefixes. */
const levels = [
  {
    noun: "zone",
    one: "a zone",
    prefix: "/zones/:zone_id/rulesets",
    read: permissions.zoneRulesetsRead,
    write: permissions.zoneRulesetsWrite,
    ownerIn: zoneIn,
  },
  {
    noun: "account",
    one: "an account",
    prefix: "/accounts/:account_id/rulesets",
    read: permissions.accountRulesetsRead,
    write: permissions.accountRulesetsWrite,
    ownerIn: accountIn,
  },
] as const;

/** A request for rulesets of a zone or account. */
interface RulesetCall extends EndpointCall {
  readonly owner: Owner;
}

/** Method, path below the prefix, and summary, in which `ONE` is a zone or an account. */
type RulesetOperation = readonly [
  method: Operation["method"],
  path: string,
  summary: string,
  handle: (call: RulesetCall) => EndpointAnswer,
];

const entryPoint = "/phases/:ruleset_phase/entrypoint";
const single = "/:ruleset_id";
const rule = `${single}/rules/:rule_id`;
const version = `${single}/versions/:ruleset_version`;

const operations: readonly RulesetOperation[] = [
  [
    "GET",
    entryPoint,
    "Get ONE entry point ruleset",
    (call) => ({ result: entryPointIn(call).current }),
  ],
  ["PUT", entryPoint, "Update or create ONE entry point ruleset", replaceEntryPoint],
  [
    "GET",
    `${entryPoint}/versions`,
    "List ONE entry point ruleset's versions",
    // An absent entry point has no versions; that is no error (SERVICE.md B.8).
    (call) => ({ result: versionsOf(entryPointOf(call.owner, phaseIn(call))).map(withoutRules) }),
  ],
  [
    "GET",
    `${entryPoint}/versions/:ruleset_version`,
    "Get a version of ONE entry point ruleset",
    (call) => ({ result: versionIn(call, entryPointIn(call)) }),
  ],
  ["GET", "", "List NOUN rulesets", listRulesets],
  ["POST", "", "Create ONE ruleset", createRuleset],
  ["GET", single, "Get ONE ruleset", (call) => ({ result: rulesetIn(call).current })],
  ["PUT", single, "Update ONE ruleset", replaceRuleset],
  ["DELETE", single, "Delete ONE ruleset", deleteRuleset],
  [
    "POST",
    `${single}/rules`,
    "Add a rule to ONE ruleset",
    (call) => changed(call, (write, body) => withNewRule(body, write)),
  ],
  [
    "PATCH",
    rule,
    "Update a rule of ONE ruleset",
    (call) => changed(call, (write, body) => withUpdatedRule(body, ruleIn(call, write), write)),
  ],
  [
    "DELETE",
    rule,
    "Delete a rule of ONE ruleset",
    (call) => {
      const write = writeOf(call, ownRulesetIn(call));
      return storedRuleset(call.owner, withoutRule(ruleIn(call, write), write));
    },
  ],
  [
    "GET",
    `${single}/versions`,
    "List ONE ruleset's versions",
    (call) => ({ result: versionsOf(rulesetIn(call)).map(withoutRules) }),
  ],
  [
    "GET",
    version,
    "Get a version of ONE ruleset",
    (call) => ({ result: versionIn(call, rulesetIn(call)) }),
  ],
  ["DELETE", version, "Delete a version of ONE ruleset", deleteVersion],
];

/** Rules of a managed ruleset with a tag: at accounts only (SERVICE.md B.1). */
const tagOperation: RulesetOperation = [
  "GET",
  `${version}/by_tag/:rule_tag`,
  "List the rules of ONE ruleset's version with a tag",
  (call) => {
    const found = versionIn(call, rulesetIn(call));
    const tag = call.param("rule_tag");
    const rules = found.rules.filter(({ categories }) => categories?.includes(tag) === true);
    return { result: { ...found, rules } };
  },
];

/** Rulesets, their rules and versions (SERVICE.md B.1, B.3). */
export const rulesetEndpoints: readonly Endpoint[] = levels.flatMap((level) => {
  const own = level.noun === "account" ? [...operations, tagOperation] : operations;
  return own.map(([method, path, summary, handle]) => ({
    method,
    path: `${level.prefix}${path}`,
    summary: summary.replace("ONE", level.one).replace("NOUN", level.noun),
    permissions: method === "GET" ? level.read : level.write,
    dryRun: method !== "GET",
    handle: (call) => handle({ ...call, owner: level.ownerIn(call) }),
  }));
});

/** Changes the ruleset in the path as its body says. */
function changed(
  call: RulesetCall,
  change: (write: RulesetWrite, body: FieldReader) => StoredRuleset,
): EndpointAnswer {
  const write = writeOf(call, ownRulesetIn(call));
  return storedRuleset(call.owner, change(write, rulesetFields(call.body())));
}

function writeOf({ now, store, owner }: RulesetCall, before: StoredRuleset): RulesetWrite {
  const { isLenient, undocumented } = store;
  return { now, newId: () => store.newId(), isLenient, undocumented, owner, before };
}

/** The response to every write to a ruleset: the whole ruleset (SERVICE.md B.1). */
function storedRuleset(owner: Owner, ruleset: StoredRuleset): EndpointAnswer {
  return { result: ruleset.current, next: withRuleset(owner, ruleset) };
}

/**
 * The rulesets that a zone or account can read and not write: custom ones of the zone's account
 * (SERVICE.md B.13), and managed ones, of which free zones have few (SERVICE.md B.7).
 */
function sharedWith({ store, owner }: RulesetCall): readonly StoredRuleset[] {
  const managed = managedNow(store);
  if (owner.level === "account") return managed;
  const ofAccount = store.account(owner.accountId)?.rulesets ?? [];
  const custom = ofAccount.filter(({ current: { kind } }) => kind === "custom");
  if (owner.plan !== "free") return [...custom, ...managed];
  const free = managed.filter(
    ({ current: { name, phase } }) => name.includes("Free") || !phase.includes("firewall"),
  );
  return [...custom, ...free];
}

/** The ruleset in the path: the owner's own, or a shared one. */
function rulesetIn(call: RulesetCall): StoredRuleset {
  const id = identifierIn(call, "ruleset_id");
  const found =
    call.owner.rulesets.find(({ current }) => current.id === id) ??
    sharedWith(call).find(({ current }) => current.id === id);
  if (found !== undefined) return found;
  throw apiError(404, unpublishedCodes.rulesetNotFound, `could not find ruleset ${id}`);
}

/** The ruleset in the path of a write: shared ones are read-only. */
function ownRulesetIn(call: RulesetCall): StoredRuleset {
  const ruleset = rulesetIn(call);
  if (call.owner.rulesets.includes(ruleset)) return ruleset;
  const { kind } = ruleset.current;
  const what = kind === "managed" ? "managed rulesets" : "rulesets of the account";
  throw apiError(400, unpublishedCodes.ruleset, `${what} cannot be modified`);
}

function ruleIn(call: RulesetCall, { before }: RulesetWrite): EmulatedRule {
  const id = identifierIn(call, "rule_id");
  const found = before.current.rules.find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  throw apiError(404, unpublishedCodes.ruleNotFound, `could not find rule ${id}`);
}

function phaseIn(call: RulesetCall): string {
  const given = call.param("ruleset_phase");
  if (phases.includes(given)) return given;
  throw apiError(400, unpublishedCodes.ruleset, `'${given}' is not a valid value for phase`);
}

function entryPointIn(call: RulesetCall): StoredRuleset {
  const phase = phaseIn(call);
  const found = entryPointOf(call.owner, phase);
  if (found !== undefined) return found;
  const message = `could not find entrypoint ruleset in the ${phase} phase`;
  throw apiError(404, wireCodes.noEntrypoint, message);
}

/** All versions of a ruleset, oldest first; none if there is no ruleset. */
function versionsOf(ruleset: StoredRuleset | undefined): readonly EmulatedRuleset[] {
  return ruleset === undefined ? [] : [...ruleset.past, ruleset.current];
}

function versionIn(call: RulesetCall, ruleset: StoredRuleset): EmulatedRuleset {
  const wanted = call.param("ruleset_version");
  if (!/^\d+$/.test(wanted)) throw routeNotFound(call.path);
  const match = versionsOf(ruleset).find((each) => each.version === wanted);
  if (match !== undefined) return match;
  throw apiError(404, unpublishedCodes.versionNotFound, `could not find version ${wanted}`);
}

function withoutRules({
  rules: _rules,
  ...others
}: EmulatedRuleset): Omit<EmulatedRuleset, "rules"> {
  return others;
}

/** Own rulesets first, then the shared ones (SERVICE.md B.1). */
function listRulesets(call: RulesetCall): EndpointAnswer {
  const all = [...call.owner.rulesets, ...sharedWith(call)].map(({ current }) => current);
  const perPage = queryInteger(call.query, "per_page", 1, maxPerPage) ?? maxPerPage;
  const { items, after } = pageAfter(all, call.query, perPage, ({ id }) => id);
  const result = items.map(withoutRules);
  // The schema has `cursors.after`; the official client reads `cursor`.
  return after === undefined ? { result } : { result, info: { cursors: { after }, cursor: after } };
}

function replaceEntryPoint(call: RulesetCall): EndpointAnswer {
  const { owner, store } = call;
  const phase = phaseIn(call);
  const fields = rulesetFields(call.body());
  fields.only(["name", "description", "rules"]);
  const name = fields.text("name") ?? "default";
  const kind = entryPointKind(owner);
  const before = entryPointOf(owner, phase) ?? emptyRuleset(store.newId(), { name, kind, phase });
  return storedRuleset(owner, updatedRuleset(fields, writeOf(call, before)));
}

const rulesetMembers = ["name", "description", "kind", "phase", "rules"];

function createRuleset(call: RulesetCall): EndpointAnswer {
  const { owner } = call;
  const fields = rulesetFields(call.body());
  fields.only(rulesetMembers);
  const name = fields.required("name", fields.text("name"));
  const kinds = ["managed", "custom", "root", "zone"];
  const kind = fields.required("kind", fields.oneOf("kind", kinds));
  const phase = fields.required("phase", fields.oneOf("phase", phases));
  if (name === "") throw fields.error("name", "name must not be empty");
  const limit = rulesetLimit(owner, kind, phase);
  if (limit === 0) {
    const message = `'${kind}' is not a valid value for kind at the ${owner.level} level`;
    throw fields.error("kind", message);
  }
  const same = owner.rulesets.filter(
    ({ current }) => current.kind === kind && current.phase === phase,
  );
  if (same.length >= limit) {
    throw fields.error(
      "kind",
      `'${kind}' is not a valid value for kind because exceeded maximum number of ${kind} rulesets for phase ${phase}`,
      wireCodes.secondEntrypoint,
    );
  }
  const before = emptyRuleset(call.store.newId(), { name, kind, phase });
  return storedRuleset(owner, updatedRuleset(fields, writeOf(call, before)));
}

/** How many rulesets of a kind an owner may have in a phase. */
function rulesetLimit(owner: Owner, kind: string, phase: string): number {
  if (kind === entryPointKind(owner)) return 1;
  if (kind !== "custom") return 0;
  return owner.level === "account" ? Infinity : customRulesetLimit(owner.plan, phase);
}

function replaceRuleset(call: RulesetCall): EndpointAnswer {
  return changed(call, (write, body) => {
    body.only(rulesetMembers);
    return updatedRuleset(body, write);
  });
}

function deleteRuleset(call: RulesetCall): EndpointAnswer {
  const { owner } = call;
  const { id } = ownRulesetIn(call).current;
  const user = owner.rulesets.find(({ current }) =>
    current.rules.some((each) => executedRuleset(each) === id),
  );
  if (user !== undefined) {
    const message = `ruleset ${id} is executed by a rule of ruleset ${user.current.id}`;
    throw apiError(400, unpublishedCodes.rulesetInUse, message);
  }
  const rulesets = owner.rulesets.filter(({ current }) => current.id !== id);
  return { next: { ...owner, rulesets } };
}

/**
 * The newest version is in use and cannot be deleted, so that no number is given twice
 * (SERVICE.md B.3).
 */
function deleteVersion(call: RulesetCall): EndpointAnswer {
  const ruleset = ownRulesetIn(call);
  const { current } = ruleset;
  const gone = versionIn(call, ruleset);
  if (gone.version === current.version) {
    throw apiError(400, unpublishedCodes.rulesetInUse, `version ${gone.version} is in use`);
  }
  const past = ruleset.past.filter((each) => each.version !== gone.version);
  return { next: withRuleset(call.owner, { current, past }) };
}
