import { emptied, shown } from "../http/endpoint.ts";
import type { Call, Endpoint } from "../http/endpoint.ts";
import { noRoute, refused, unpublishedCodes } from "../http/service-error.ts";
import type { Ruleset, StoredRuleset } from "../state.ts";
import { headOf } from "./ruleset-endpoints.ts";
import { ownRulesetIn, rulesetIn } from "./ruleset-level.ts";
import type { RulesetLevel } from "./ruleset-level.ts";
import { withRuleset } from "./ruleset.ts";

/** Versions of rulesets (SERVICE.md B.1). */
export function versionEndpoints(level: RulesetLevel): readonly Endpoint[] {
  const { noun, one, prefix, read, write } = level;
  const collection = `${prefix}/:ruleset_id/versions`;
  const single = `${collection}/:ruleset_version`;
  return [
    {
      ...read,
      method: "GET",
      path: collection,
      summary: `List ${one} ruleset's versions`,
      handle: (call) => shown(versionsOf(rulesetIn(call, level.ownerIn(call))).map(headOf)),
    },
    {
      ...read,
      method: "GET",
      path: single,
      summary: `Get a version of ${one} ruleset`,
      handle: (call) => shown(versionIn(call, rulesetIn(call, level.ownerIn(call)))),
    },
    {
      ...write,
      method: "DELETE",
      path: single,
      summary: `Delete a version of ${one} ruleset`,
      handle: (call) => {
        const owner = level.ownerIn(call);
        const ruleset = ownRulesetIn(call, owner);
        return emptied(withRuleset(owner, withoutVersion(ruleset, versionIn(call, ruleset))));
      },
    },
    ...(noun === "account" ? [taggedEndpoint(level, `${single}/by_tag/:rule_tag`)] : []),
  ];
}

/** Rules of a managed ruleset with a tag: at accounts only (SERVICE.md B.1). */
function taggedEndpoint(level: RulesetLevel, path: string): Endpoint {
  return {
    ...level.read,
    method: "GET",
    path,
    summary: "List the rules of an account ruleset's version with a tag",
    handle: (call) => {
      const version = versionIn(call, rulesetIn(call, level.ownerIn(call)));
      const tag = call.param("rule_tag");
      const rules = version.rules.filter(({ categories }) => categories?.includes(tag) === true);
      return shown({ ...version, rules });
    },
  };
}

/** All versions of a ruleset, oldest first; none where there is no ruleset. */
export function versionsOf(ruleset: StoredRuleset | undefined): readonly Ruleset[] {
  return ruleset === undefined ? [] : [...ruleset.past, ruleset.current];
}

/** The version in the path. */
export function versionIn(call: Call, ruleset: StoredRuleset): Ruleset {
  const wanted = call.param("ruleset_version");
  if (!/^\d+$/.test(wanted)) throw noRoute(call.path);
  const found = versionsOf(ruleset).find(({ version }) => version === wanted);
  if (found !== undefined) return found;
  throw refused(404, unpublishedCodes.versionNotFound, `could not find version ${wanted}`);
}

/** The newest version is the one in use and stays, so that no number is given twice (SERVICE.md B.3). */
function withoutVersion({ current, past }: StoredRuleset, gone: Ruleset): StoredRuleset {
  if (gone.version === current.version) {
    throw refused(400, unpublishedCodes.rulesetInUse, `version ${gone.version} is in use`);
  }
  return { current, past: past.filter(({ version }) => version !== gone.version) };
}
