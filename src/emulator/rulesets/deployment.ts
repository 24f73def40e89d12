import type { JsonObject } from "../../syntax/json.ts";
import { fieldsOf } from "../http/fields.ts";
import { unpublishedCodes } from "../http/service-error.ts";
import { managedIds } from "./managed.ts";
import { tuned, tuningIn, tuningMembers } from "./owasp-tuning.ts";

/** Turns the short form of a seed, `deploy: owasp` with its tuning, into a rule in the service's own form. */
export function withDeployment(seed: JsonObject): JsonObject {
  if (seed["deploy"] === undefined) return seed;
  const fields = fieldsOf(seed, "", unpublishedCodes.ruleset);
  const named = fields.required("deploy", fields.text("deploy"));
  const id = Object.entries(managedIds).find(([key]) => key === named)?.[1] ?? named;
  const others = Object.fromEntries(Object.entries(seed).filter(([name]) => !own.includes(name)));
  const overrides = tuned(seed["overrides"], tuningIn(fields));
  return {
    expression: "true",
    ...others,
    action: "execute",
    action_parameters: {
      id,
      version: "latest",
      ...(Object.keys(overrides).length === 0 ? {} : { overrides }),
    },
  };
}

const own = ["deploy", "overrides", ...tuningMembers];
