import { auditEndpoints } from "../audit/audit-endpoints.ts";
import { itemEndpoints } from "../page-shield/item-endpoints.ts";
import { policyEndpoints } from "../page-shield/policy-endpoints.ts";
import { settingsEndpoints } from "../page-shield/settings-endpoints.ts";
import { entryPointEndpoints, versionEndpoints } from "../rulesets/entry-point-endpoints.ts";
import { ruleEndpoints } from "../rulesets/rule-endpoints.ts";
import { rulesetEndpoints, rulesetLevels } from "../rulesets/ruleset-endpoints.ts";
import { accountEndpoints } from "../zones/account-endpoints.ts";
import { zoneEndpoints } from "../zones/zone-endpoints.ts";
import type { Endpoint, Operation } from "./api-endpoint.ts";

/** Everything that the emulator serves below its base path. */
export const endpoints: readonly Endpoint[] = [
  ...accountEndpoints,
  ...auditEndpoints,
  ...zoneEndpoints,
  ...settingsEndpoints,
  ...itemEndpoints,
  ...policyEndpoints,
  ...rulesetLevels.flatMap((level) => [
    ...entryPointEndpoints(level),
    ...rulesetEndpoints(level),
    ...ruleEndpoints(level),
    ...versionEndpoints(level),
  ]),
];

/** The same without handlers, as `--operations` lists it. */
export const operations: readonly Operation[] = endpoints.map(({ method, path, summary }) => ({
  method,
  path,
  summary,
}));
