import { graphqlEndpoints } from "../analytics/graphql-endpoint.ts";
import { auditEndpoints } from "../audit/audit-endpoints.ts";
import { itemEndpoints } from "../page-shield/items.ts";
import { policyEndpoints } from "../page-shield/policy-endpoints.ts";
import { settingsEndpoints } from "../page-shield/settings-endpoints.ts";
import { rulesetEndpoints } from "../rulesets/ruleset-endpoints.ts";
import { accountEndpoints, zoneEndpoints } from "../zones/zone-endpoints.ts";
import type { Endpoint, Operation } from "./api-endpoint.ts";

/** Everything that the emulator serves below its base path. */
export const endpoints: readonly Endpoint[] = [
  ...accountEndpoints,
  ...auditEndpoints,
  ...zoneEndpoints,
  ...settingsEndpoints,
  ...itemEndpoints,
  ...policyEndpoints,
  ...rulesetEndpoints,
  ...graphqlEndpoints,
];

/** The same without handlers, as `--operations` lists it. */
export const operations: readonly Operation[] = endpoints.map(({ method, path, summary }) => ({
  method,
  path,
  summary,
}));

const patterns = endpoints.map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replaceAll(/:([a-z_]+)/g, "(?<$1>[^/]+)")}$`),
}));

/** An endpoint, and the parameters in the path of a request to it. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

/** The endpoints of a path, one for each method that it has. */
export function endpointsAt(path: string): readonly Route[] {
  return patterns.flatMap(({ endpoint, pattern }) => {
    const match = pattern.exec(path);
    return match === null ? [] : [{ endpoint, params: { ...match.groups } }];
  });
}
