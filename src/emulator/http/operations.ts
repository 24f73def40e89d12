import { itemEndpoints } from "../page-shield/item-endpoints.ts";
import { policyEndpoints } from "../page-shield/policy-endpoints.ts";
import { settingsEndpoints } from "../page-shield/settings-endpoints.ts";
import { entrypointEndpoints } from "../rulesets/entrypoints.ts";
import { ruleEndpoints } from "../rulesets/rule-endpoints.ts";
import { rulesetEndpoints } from "../rulesets/ruleset-endpoints.ts";
import { rulesetLevels } from "../rulesets/ruleset-level.ts";
import { versionEndpoints } from "../rulesets/ruleset-versions.ts";
import { accountEndpoints } from "../zones/accounts.ts";
import { zoneEndpoints } from "../zones/zones.ts";
import type { Endpoint, Operation } from "./endpoint.ts";

/** Everything that the emulator answers below its base path; the router is made from this list. */
export const endpoints: readonly Endpoint[] = [
  ...accountEndpoints,
  ...zoneEndpoints,
  ...settingsEndpoints,
  ...itemEndpoints,
  ...policyEndpoints,
  ...rulesetLevels.flatMap((level) => [
    ...entrypointEndpoints(level),
    ...rulesetEndpoints(level),
    ...ruleEndpoints(level),
    ...versionEndpoints(level),
  ]),
];

/** Every operation that the emulator supports, as `--operations` and docs/emulator.md list it. */
export const operations: readonly Operation[] = endpoints.map(({ method, path, summary }) => ({
  method,
  path,
  summary,
}));
