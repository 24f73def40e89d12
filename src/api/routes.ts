/** Routes of the service that zonewarden uses (service-api "Endpoints", api-facts B.1 and C.4). */
export const routes = {
  zones: "/zones",
  settings: "/zones/{zone_id}/page_shield",
  policies: "/zones/{zone_id}/page_shield/policies",
  policy: "/zones/{zone_id}/page_shield/policies/{policy_id}",
  entrypoint: "/zones/{zone_id}/rulesets/phases/{phase_name}/entrypoint",
  rules: "/zones/{zone_id}/rulesets/{ruleset_id}/rules",
  rule: "/zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}",
  zoneRuleset: "/zones/{zone_id}/rulesets/{ruleset_id}",
  accountRuleset: "/accounts/{account_id}/rulesets/{ruleset_id}",
  verifyUserToken: "/user/tokens/verify",
  verifyAccountToken: "/accounts/{account_id}/tokens/verify",
} as const;
