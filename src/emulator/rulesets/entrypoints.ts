import { wireCodes } from "../../api/wire.ts";
import { shown } from "../http/endpoint.ts";
import type { Call, Endpoint } from "../http/endpoint.ts";
import { refused } from "../http/service-error.ts";
import type { StoredRuleset } from "../state.ts";
import { headOf, makerOf, updated, writtenAnswer } from "./ruleset-endpoints.ts";
import { phaseIn } from "./ruleset-level.ts";
import type { RulesetLevel } from "./ruleset-level.ts";
import { versionIn, versionsOf } from "./ruleset-versions.ts";
import { emptyRuleset, entrypointKind, entrypointOf, rulesetFields } from "./ruleset.ts";

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
