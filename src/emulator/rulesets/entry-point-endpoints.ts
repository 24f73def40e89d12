import { wireCodes } from "../../api/wire.ts";
import {
  type EndpointAnswer,
  type EndpointCall,
  type Endpoint,
  found,
  noContent,
} from "../http/api-endpoint.ts";
import { apiError, routeNotFound, unpublishedCodes } from "../http/api-error.ts";
import type { Owner, EmulatedRuleset, StoredRuleset } from "../state.ts";
import { phases } from "./phases.ts";
import {
  ownRulesetIn,
  writeEndpoint,
  readEndpoint,
  rulesetIn,
  type RulesetLevel,
  storedRuleset,
  updatedRuleset,
  withoutRules,
  writeOf,
} from "./ruleset-endpoints.ts";
import {
  emptyRuleset,
  entryPointKind,
  entryPointOf,
  rulesetFields,
  withRuleset,
} from "./stored-ruleset.ts";

/** Entry points of phases (SERVICE.md B.1, B.3). */
export function entryPointEndpoints(level: RulesetLevel): readonly Endpoint[] {
  const { one, prefix } = level;
  const path = `${prefix}/phases/:ruleset_phase/entrypoint`;
  return [
    readEndpoint(level, path, `Get ${one} entry point ruleset`, (call, owner) =>
      found(entryPointIn(call, owner).current),
    ),
    writeEndpoint(
      level,
      "PUT",
      path,
      `Update or create ${one} entry point ruleset`,
      replaceEntryPoint,
    ),
    readEndpoint(
      level,
      `${path}/versions`,
      `List ${one} entry point ruleset's versions`,
      // An absent entry point has no versions; that is no error (SERVICE.md B.8).
      (call, owner) => found(versionsOf(entryPointOf(owner, phaseIn(call))).map(withoutRules)),
    ),
    readEndpoint(
      level,
      `${path}/versions/:ruleset_version`,
      `Get a version of ${one} entry point ruleset`,
      (call, owner) => found(versionIn(call, entryPointIn(call, owner))),
    ),
  ];
}

function replaceEntryPoint(call: EndpointCall, owner: Owner): EndpointAnswer {
  const phase = phaseIn(call);
  const fields = rulesetFields(call.body());
  fields.only(["name", "description", "rules"]);
  const name = fields.text("name") ?? "default";
  const kind = entryPointKind(owner);
  const before =
    entryPointOf(owner, phase) ?? emptyRuleset(call.store.newId(), { name, kind, phase });
  return storedRuleset(owner, updatedRuleset(fields, writeOf(call, owner, before)));
}

/** Versions of rulesets (SERVICE.md B.1). */
export function versionEndpoints(level: RulesetLevel): readonly Endpoint[] {
  const { noun, one, prefix } = level;
  const collection = `${prefix}/:ruleset_id/versions`;
  const single = `${collection}/:ruleset_version`;
  return [
    readEndpoint(level, collection, `List ${one} ruleset's versions`, (call, owner) =>
      found(versionsOf(rulesetIn(call, owner)).map(withoutRules)),
    ),
    readEndpoint(level, single, `Get a version of ${one} ruleset`, (call, owner) =>
      found(versionIn(call, rulesetIn(call, owner))),
    ),
    writeEndpoint(level, "DELETE", single, `Delete a version of ${one} ruleset`, (call, owner) => {
      const ruleset = ownRulesetIn(call, owner);
      return noContent(withRuleset(owner, withoutVersion(ruleset, versionIn(call, ruleset))));
    }),
    ...(noun === "account" ? [tagEndpoint(level, `${single}/by_tag/:rule_tag`)] : []),
  ];
}

/** Rules of a managed ruleset with a tag: at accounts only (SERVICE.md B.1). */
function tagEndpoint(level: RulesetLevel, path: string): Endpoint {
  const summary = "List the rules of an account ruleset's version with a tag";
  return readEndpoint(level, path, summary, (call, owner) => {
    const version = versionIn(call, rulesetIn(call, owner));
    const tag = call.param("rule_tag");
    const rules = version.rules.filter(({ categories }) => categories?.includes(tag) === true);
    return found({ ...version, rules });
  });
}

function phaseIn(call: EndpointCall): string {
  const given = call.param("ruleset_phase");
  if (phases.includes(given)) return given;
  throw apiError(400, unpublishedCodes.ruleset, `'${given}' is not a valid value for phase`);
}

function entryPointIn(call: EndpointCall, owner: Owner): StoredRuleset {
  const phase = phaseIn(call);
  const entryPoint = entryPointOf(owner, phase);
  if (entryPoint !== undefined) return entryPoint;
  const message = `could not find entrypoint ruleset in the ${phase} phase`;
  throw apiError(404, wireCodes.noEntrypoint, message);
}

/** All versions of a ruleset, oldest first; none if there is no ruleset. */
function versionsOf(ruleset: StoredRuleset | undefined): readonly EmulatedRuleset[] {
  return ruleset === undefined ? [] : [...ruleset.past, ruleset.current];
}

function versionIn(call: EndpointCall, ruleset: StoredRuleset): EmulatedRuleset {
  const wanted = call.param("ruleset_version");
  if (!/^\d+$/.test(wanted)) throw routeNotFound(call.path);
  const match = versionsOf(ruleset).find(({ version }) => version === wanted);
  if (match !== undefined) return match;
  throw apiError(404, unpublishedCodes.versionNotFound, `could not find version ${wanted}`);
}

/**
 * The newest version is in use and cannot be deleted, so that no number is given twice
 * (SERVICE.md B.3).
 */
function withoutVersion({ current, past }: StoredRuleset, gone: EmulatedRuleset): StoredRuleset {
  if (gone.version === current.version) {
    throw apiError(400, unpublishedCodes.rulesetInUse, `version ${gone.version} is in use`);
  }
  return { current, past: past.filter(({ version }) => version !== gone.version) };
}
