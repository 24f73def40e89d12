import { syntaxDiagnosticCodes } from "../syntax/syntax-diagnostic.ts";
import type { DiagnosticCode } from "../zone/diagnostic-codes.ts";
import type { RulePhase } from "../zone/rule-phase.ts";

/** Zone files that get a diagnostic: for each code a small one. */
export const diagnosticExamples: Readonly<Record<string, string>> = {
  YAML_SYNTAX: 'zones:\n  - name: "shop.example.com\n',
  YAML_TAG: "zones:\n  - name: !secret shop.example.com\n",
  YAML_DIRECTIVE: "%YAML 1.1\n---\nzones: []\n",
  YAML_ALIAS: "zones: &all\n  - *all\n",
  YAML_TOO_DEEP: `zones: ${"[".repeat(70)}\n`,
  DUPLICATE_KEY: "zones:\n  - name: shop.example.com\n    mode: observe\n    mode: enforce\n",
  FILE_EMPTY: "# nothing yet\n",
  FILE_FOREIGN: "a-token-perhaps\n",
  FILE_NEWER: "version: 2\nzones: []\n",
  UNKNOWN_KEY: "zones:\n  - name: shop.example.com\n    page_sheild: {}\n",
  EMPTY_VALUE: zone("managed_rules:", "  rules:"),
  MISSING_KEY: policies("key: checkout"),
  WRONG_TYPE: zone("page_shield:", "  settings:", "    enabled: yes"),
  WRONG_VALUE: rules("{ key: owasp, deploy: owsap }"),
  CONTRADICTION: rules(
    "{ key: owasp, deploy: owasp, expression: ssl, skip: { rulesets: [owasp] } }",
  ),
  UNKNOWN_PROFILE: `profiles:\n  baseline: {}\n${zone("profiles: [baselin]")}`,
  PROFILE_CYCLE: `profiles:\n  a: { extends: [b] }\n  b: { extends: [a] }\n${zone("profiles: [a]")}`,
  PROFILE_TWICE: "profiles:\n  baseline: {}\n---\nprofiles:\n  baseline: {}\n",
  BAD_PLACEHOLDER: policy('http.host eq "${zone.nam}"', "script-src 'self'"),
  UNSET_VARIABLE: `profiles:\n  shop:\n    vars: { shop_id: { type: integer, required: true } }\n${zone("profiles: [shop]")}`,
  UNFILLED_TEXT: rules("{ key: owasp, deploy: owasp, expression: 'http.host ne \"$zone.name\"' }"),
  UNUSED_VARIABLE: zone("vars: { cnd: cdn.example.com }"),
  UNDECLARED_VARIABLE: `profiles:\n  shop:\n    vars: { level: { type: integer, default: 1 } }\n    managed_rules: { rules: [{ key: owasp, deploy: owasp, paranoia_level: "\${vars.level}", description: "\${vars.title}" }] }\n${zone("profiles: [shop]\n    vars: { title: Shop }")}`,
  ZONE_TWICE: "zones:\n  - name: shop.example.com\n  - name: Shop.example.com\n",
  KEY_TWICE: rules("{ key: waf, deploy: owasp }", "{ key: waf, deploy: cloudflare }"),
  RULESET_TWICE: rules(
    "{ key: owasp, deploy: owasp }",
    "{ key: strict, deploy: 4814384a9e5d4991b9815dcfc25d2f1f }",
  ),
  NOT_OWASP: rules("{ key: cf, deploy: cloudflare, paranoia_level: 2 }"),
  PROMOTION_STEPS: customRules(
    "{ key: admin, action: managed_challenge, expression: ssl, promote: { from: block, after: 7d, when: time_only } }",
  ),
  DESCRIPTION_MARKED: rules(
    "{ key: cf, deploy: cloudflare, description: 'Managed [zonewarden:cf]' }",
  ),
  UNKNOWN_ORDER: rules(
    "{ key: owasp, deploy: owasp }",
    "{ key: upload, before: owsap, expression: ssl, skip: { rulesets: [owasp] } }",
  ),
  ORDER_CYCLE: customRules(
    "{ key: admin, before: office, action: log, expression: ssl }",
    "{ key: office, before: admin, action: log, expression: not ssl }",
  ),
  POSITION_RESEMBLES_KEY: customRules(
    "{ key: admin, action: log, expression: ssl }",
    "{ key: office, position: { before: admn }, action: log, expression: not ssl }",
  ),
  SKIP_WITHOUT_EFFECT: rules(
    "{ key: owasp, deploy: owasp }",
    "{ key: upload, expression: ssl, skip: { rulesets: [owasp] } }",
  ),
  SKIP_EVERY_REQUEST: rules(
    "{ key: uploads, skip: { ruleset: current } }",
    "{ key: owasp, deploy: owasp }",
  ),
  SKIP_WHOLE_ZONE: rules(
    '{ key: all, expression: http.host contains "example.com", skip: { ruleset: current } }',
    "{ key: owasp, deploy: owasp }",
  ),
  SHADOWED_EXCEPTION: rules(
    "{ key: office, expression: 'ip.src in {192.0.2.0/24}', skip: { ruleset: current } }",
    "{ key: desk, expression: ip.src eq 192.0.2.7, skip: { rulesets: [owasp] } }",
    "{ key: owasp, deploy: owasp }",
  ),
  SHADOWED_RULE: customRules(
    "{ key: plain, action: block, expression: not ssl }",
    '{ key: login, action: challenge, expression: not ssl and http.host eq "shop.example.com" }',
  ),
  CHARACTERISTIC_MISSING: rulesIn("rate_limiting_rules", [
    "{ key: login, action: block, expression: ssl, ratelimit: { characteristics: [ip.src], period: 60, requests_per_period: 5, mitigation_timeout: 600 } }",
  ]),
  PROTECTS_NOTHING: rules("{ key: owasp, deploy: owasp, expression: 'false' }"),
  HOST_OUTSIDE_ZONE: rules(
    '{ key: owasp, deploy: owasp, expression: http.host eq "www.example.org" }',
  ),
  REPEATED_POLICY: policies(
    "{ key: all, action: log, expression: 'true', value: \"script-src 'self'\" }",
    "{ key: tls, action: log, expression: ssl, value: \"script-src 'self'\" }",
  ),
  REPEATED_DESCRIPTION: rules(
    "{ key: owasp, deploy: owasp, description: Managed rules }",
    "{ key: free, deploy: free, description: Managed rules }",
  ),
  MATCH_NOTHING: "zones:\n  - match: { name: '*', status: activ }\n",
  ALLOW_OVERLAP: zone(
    "page_shield:",
    "  policies:",
    "    items:",
    "      - { key: all, action: allow, expression: 'true', value: \"script-src 'self'\" }",
    "      - key: shop",
    "        action: allow",
    '        expression: http.host eq "shop.example.com"',
    "        value: script-src 'self' cdn.example.com",
  ),
  SCRIPT_COVERS_ALL: scripts("url: 'https://*.net/*'"),
  SCRIPT_INCOMPLETE: scripts("url: https://pay.example.net/v3/pay.js", "owner: payments team"),
  SCRIPT_REPEATED: zone(
    "page_shield:",
    "  scripts:",
    "    pages: [shop.example.com/checkout/*]",
    "    authorised:",
    "      - { url: 'https://pay.example.net/*' }",
    "      - { url: https://pay.example.net/v3/pay.js }",
  ),
  SCRIPTS_UNMONITORED: zone("page_shield:", "  scripts: { pages: [shop.example.com/checkout/*] }"),
  UNUSED_PROFILE: `profiles:\n  baseline: {}\n${zone("mode: observe")}`,
  BAD_SUPPRESSION: `# zonewarden-disable-next-line CSP_UNSAFE_INLINE -- old shop\n${zone("mode: observe")}`,
  ...Object.fromEntries(
    Object.entries(syntaxDiagnosticCodes).map(([code, { example }]) => [
      code,
      valueExample(code, example),
    ]),
  ),
  CSP_BAD_ENTRY: policy("'true'", "{ img-src: [\"'self'; style-src *\"] }"),
};

/** When a diagnostic is reported that no small file gets by itself, and what helps. */
export interface Situation {
  readonly example: string;
  readonly remedy: string;
}

const split = "split it into several files";
const readable = "correct the path (`desired.path`), or the permissions";
const passing = "nothing, if it passes: the next load tries again";
const more = "split the file, or give the program more of both";
const nameId = "declare the zone that you mean by its `id`";

/**
 * Codes that are about files as a whole, about the zones of a token, or about the configuration.
 */
export const diagnosticSituations: Readonly<Partial<Record<DiagnosticCode, Situation>>> = {
  DIRECTORY_UNREADABLE: { example: "the directory is not there", remedy: readable },
  DIRECTORY_EMPTY: { example: "the directory has no .yaml file", remedy: readable },
  DIRECTORY_UNSETTLED: { example: "a checkout that never ends", remedy: passing },
  FILE_UNREADABLE: { example: "no permission", remedy: readable },
  FILE_TOO_LARGE: { example: "a file of 50 MB", remedy: split },
  FILE_TOO_SLOW: { example: "a file of 8 MB on a starved machine", remedy: more },
  FILE_TOO_COSTLY: {
    example: "a file of 8 MB where the program has 128 MB of memory",
    remedy: more,
  },
  FILE_NOT_UTF8: { example: "a file saved as UTF-16", remedy: "save it as UTF-8" },
  FILE_OUTSIDE: {
    example: "a link to /etc/zones.yaml",
    remedy: "replace the link with its target",
  },
  FILE_NOT_REGULAR: {
    example: "a pipe named zones.yaml",
    remedy: "delete it, or give it another name",
  },
  FILE_NOT_FORMATTED: {
    example: "a value below its key, with a suppression of warnings above the key",
    remedy: "write the value beside its key",
  },
  YAML_TOO_LARGE: { example: "a list of 20,001 entries", remedy: split },
  TOO_MANY_PROBLEMS: {
    example: "a file with more than 100 errors",
    remedy: "fix those that are reported first",
  },
  TOO_MANY_WARNINGS: {
    example: "a file with more than 1,000 warnings",
    remedy: "fix those that are reported first, or lower their level with `lint`",
  },
  TOO_MANY_PROFILES: {
    example: "a chain of 101 profiles, each of which extends the next",
    remedy: "merge some of them into one",
  },
  INTERNAL_ERROR: {
    example: "a bug of zonewarden",
    remedy: "report the bug with the file; revert the last change of the file",
  },
  BEYOND_PLAN: {
    example: "a rate limit with a period of 60 s for a zone of the plan free",
    remedy: "declare it for zones of a larger plan only",
  },
  PROMOTION_NOT_KEPT: {
    example: "`promote` in a zone file, and no `store` in zonewarden.yaml",
    remedy: "add `store` to zonewarden.yaml: without it, each restart begins the steps again",
  },
  PROMOTION_UNMEASURED: {
    example: "`promote` with limits in `when`, and no `measurements` in zonewarden.yaml",
    remedy: "add `measurements` to zonewarden.yaml, or write `when: time_only`",
  },
  SELECTOR_CONFLICT: {
    example: "two selectors that fit one zone, with different settings",
    remedy: "narrow one of them, or declare the zone by name",
  },
  SELECTOR_UNUSED: {
    example: "a pattern that fits no zone of the token",
    remedy: "check its patterns, and the permissions of the token",
  },
  ZONE_AMBIGUOUS: { example: "a zone that is pending in two accounts", remedy: nameId },
  ZONE_NAMESAKE: {
    example: "a zone that is active in one account and pending in another",
    remedy: nameId,
  },
  ZONE_UNCERTAIN: {
    example: "a zone that has moved, while the credential of its new account cannot list",
    remedy: "repair the credential that cannot list its zones",
  },
  ZONE_NOT_LISTED: {
    example: "a zone of another account",
    remedy: "give a token Zone Read for it, or delete the zone from the files",
  },
  WAVE_ZONE_UNDECLARED: {
    example: "a wave with a mistyped name",
    remedy: "correct the name in `rollout.waves`, or declare the zone",
  },
  NO_ZONE_DECLARED: {
    example: "`zones: []` while the daemon has active zones",
    remedy: "restore the zone files; to stop managing all zones, stop zonewarden",
  },
  BOTH_DAY_FIELDS: {
    example: 'cron: "0 0 13 * 5" in zonewarden.yaml',
    remedy: "set the day of the month or the day of the week to *",
  },
};

function zone(...lines: readonly string[]): string {
  return `zones:\n  - name: shop.example.com\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

function rules(...items: readonly string[]): string {
  return rulesIn("managed_rules", items);
}

function customRules(...items: readonly string[]): string {
  return rulesIn("custom_rules", items);
}

function rulesIn(phase: RulePhase, items: readonly string[]): string {
  return zone(`${phase}:`, "  rules:", ...items.map((item) => `    - ${item}`));
}

function policies(...items: readonly string[]): string {
  return zone(
    "page_shield:",
    "  policies:",
    "    items:",
    ...items.map((item) => `      - ${item}`),
  );
}

function policy(expression: string, value: string): string {
  const fields = ["key: checkout", "action: log", `expression: ${expression}`, `value: ${value}`];
  return policies(fields.join("\n            "));
}

/** An authorised script, on whose page monitoring is on. */
function scripts(...fields: readonly string[]): string {
  return zone(
    "page_shield:",
    "  settings: { enabled: true }",
    "  scripts:",
    "    pages: [shop.example.com/checkout/*]",
    "    authorised:",
    ...fields.map((field, index) => `      ${index === 0 ? "- " : "  "}${field}`),
  );
}

/** A text of one of the two small languages, where it stands in a file. */
function valueExample(code: string, example: string): string {
  const text = JSON.stringify(example);
  if (code === "EXPR_RESPONSE_FIELD") {
    return rules(`{ key: owasp, deploy: owasp, expression: ${text} }`);
  }
  return code.startsWith("CSP_") ? policy('"true"', text) : policy(text, "script-src 'self'");
}
