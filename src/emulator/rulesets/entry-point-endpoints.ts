import { wireCodes } from "../../api/wire.ts";
import { noRoute, refused, unpublishedCodes } from "../http/api-error.ts";
import { type Call, type Endpoint, emptied, shown } from "../http/endpoint.ts";
import type { Ruleset, StoredRuleset } from "../state.ts";
import {
  type RulesetLevel,
  headOf,
  makerOf,
  ownRulesetIn,
  phaseIn,
  rulesetIn,
  updated,
  writtenAnswer,
} from "./ruleset-endpoints.ts";
import {
  emptyRuleset,
  entrypointKind,
  entrypointOf,
  rulesetFields,
  withRuleset,
} from "./ruleset.ts";

/** Entry points of phases (SERVICE.md B.1, B.3). */
export function entrypointEndpoints(level: RulesetLevel): readonly Endpoint[] {
  const { one, prefix, read, write } = level;
  const path = `${prefix}/phases/:ruleset_phase/entrypoint`;
  return [
    {
      ...read,
      method: "GET",
      path,
      summary: `Get ${one} entry point ruleset`,
      handle: (call) => shown(entrypointIn(level, call).current),
    },
    {
      ...write,
      method: "PUT",
      path,
      summary: `Update or create ${one} entry point ruleset`,
      handle: (call) => {
        const owner = level.ownerIn(call);
        const phase = phaseIn(call);
        const fields = rulesetFields(call.body());
        fields.only(["name", "description", "rules"]);
        const live = entrypointOf(owner, phase);
        const name = fields.text("name") ?? "default";
        const before = live ?? {
          current: emptyRuleset(call.store.newId(), { name, kind: entrypointKind(owner), phase }),
          past: [],
        };
        return writtenAnswer(owner, updated(fields, before, owner, makerOf(call)));
      },
    },
    {
      ...read,
      method: "GET",
      path: `${path}/versions`,
      summary: `List ${one} entry point ruleset's versions`,
      // An absent entry point has no versions; that is no error (SERVICE.md B.8).
      handle: (call) =>
        shown(versionsOf(entrypointOf(level.ownerIn(call), phaseIn(call))).map(headOf)),
    },
    {
      ...read,
      method: "GET",
      path: `${path}/versions/:ruleset_version`,
      summary: `Get a version of ${one} entry point ruleset`,
      handle: (call) => shown(versionIn(call, entrypointIn(level, call))),
    },
  ];
}

function entrypointIn(level: RulesetLevel, call: Call): StoredRuleset {
  const phase = phaseIn(call);
  const entrypoint = entrypointOf(level.ownerIn(call), phase);
  if (entrypoint !== undefined) return entrypoint;
  throw refused(
    404,
    wireCodes.noEntrypoint,
    `could not find entrypoint ruleset in the ${phase} phase`,
  );
}

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
