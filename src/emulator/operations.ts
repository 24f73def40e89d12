import { accountEndpoints } from "./accounts.ts";
import type { Endpoint, Operation } from "./endpoint.ts";
import { entrypointEndpoints } from "./entrypoints.ts";
import { itemEndpoints } from "./items.ts";
import { policyEndpoints } from "./policies.ts";
import { ruleEndpoints } from "./rules.ts";
import { rulesetLevels } from "./ruleset-level.ts";
import { versionEndpoints } from "./ruleset-versions.ts";
import { rulesetEndpoints } from "./rulesets.ts";
import { settingsEndpoints } from "./settings.ts";
import { zoneEndpoints } from "./zones.ts";

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

/** Every operation that the emulator supports, as `--operations` and OPERATIONS.md list it. */
export const operations: readonly Operation[] = endpoints.map(({ method, path, summary }) => ({
  method,
  path,
  summary,
}));
