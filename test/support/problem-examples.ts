import { syntaxDiagnosticCodes } from "../../src/syntax/syntax-diagnostic.ts";
import { type DiagnosticCode, diagnosticCodes } from "../../src/zone/diagnostic-codes.ts";

/** Files that get a problem: for each code the smallest that does. */
export const problemExamples: Readonly<Record<string, string>> = {
  YAML_SYNTAX: 'zones:\n  - name: "shop.example.com\n',
  YAML_TAG: "zones:\n  - name: !secret shop.example.com\n",
  YAML_DIRECTIVE: "%YAML 1.1\n---\nzones: []\n",
  YAML_ALIAS: "zones: &all\n  - *all\n",
  YAML_TOO_DEEP: `zones: ${"[".repeat(70)}\n`,
  DUPLICATE_KEY: "zones:\n  - name: shop.example.com\n    mode: observe\n    mode: enforce\n",
  FILE_EMPTY: "# nothing yet\n",
  FILE_FOREIGN: "a-token-perhaps\n",
  UNKNOWN_KEY: "zones:\n  - name: shop.example.com\n    page_sheild: {}\n",
  MISSING_KEY: zone("page_shield:", "  policies:", "    items:", "      - key: checkout"),
  WRONG_TYPE: zone("page_shield:", "  settings:", "    enabled: yes"),
  WRONG_VALUE: zone("managed_rules:", "  rules:", "    - { key: owasp, deploy: owsap }"),
  CONTRADICTION: zone(
    "managed_rules:",
    "  rules:",
    "    - { key: owasp, deploy: owasp, skip: { rulesets: [owasp] } }",
  ),
  UNKNOWN_PROFILE: `profiles:\n  baseline: {}\n${zone("profiles: [baselin]")}`,
  PROFILE_CYCLE: `profiles:\n  a: { extends: [b] }\n  b: { extends: [a] }\n${zone("profiles: [a]")}`,
  PROFILE_TWICE: "profiles:\n  baseline: {}\n---\nprofiles:\n  baseline: {}\n",
  ZONE_TWICE: "zones:\n  - name: shop.example.com\n  - name: Shop.example.com\n",
  KEY_TWICE: zone(
    "managed_rules:",
    "  rules:",
    "    - { key: waf, deploy: owasp }",
    "    - { key: waf, deploy: cloudflare }",
  ),
  RULESET_TWICE: zone(
    "managed_rules:",
    "  rules:",
    "    - { key: owasp, deploy: owasp }",
    "    - { key: strict, deploy: 4814384a9e5d4991b9815dcfc25d2f1f }",
  ),
  NOT_OWASP: zone(
    "managed_rules:",
    "  rules:",
    "    - { key: cf, deploy: cloudflare, paranoia_level: 2 }",
  ),
  DESCRIPTION_MARKED: zone(
    "managed_rules:",
    "  rules:",
    "    - { key: cf, deploy: cloudflare, description: 'Managed [zonewarden:cf]' }",
  ),
  UNKNOWN_ORDER: zone(
    "managed_rules:",
    "  rules:",
    "    - { key: owasp, deploy: owasp }",
    "    - { key: upload, before: owsap, skip: { rulesets: [owasp] } }",
  ),
  SKIP_WITHOUT_EFFECT: zone(
    "managed_rules:",
    "  rules:",
    "    - { key: owasp, deploy: owasp }",
    "    - { key: upload, skip: { rulesets: [owasp] } }",
  ),
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
  UNUSED_PROFILE: `profiles:\n  baseline: {}\n${zone("mode: observe")}`,
  BAD_SUPPRESSION: `# zonewarden-disable-next-line CSP_UNSAFE_INLINE -- old shop\n${zone("mode: observe")}`,
  ...Object.fromEntries(
    Object.entries(syntaxDiagnosticCodes).map(([code, { example }]) => [
      code,
      valueExample(code, example),
    ]),
  ),
  CSP_BAD_ENTRY: zone(
    "page_shield:",
    "  policies:",
    "    items:",
    "      - key: checkout",
    "        action: log",
    "        expression: 'true'",
    "        value: { img-src: [\"'self'; style-src *\"] }",
  ),
};

/** Codes that no zone file can get by itself: they are about files, selectors' zones, or the configuration. */
export const codesWithoutExample: Readonly<Partial<Record<DiagnosticCode, string>>> = {
  DIRECTORY_UNREADABLE: "the directory is not there",
  DIRECTORY_EMPTY: "the directory has no .yaml file",
  DIRECTORY_UNSETTLED: "a checkout that never ends",
  FILE_UNREADABLE: "no permission",
  FILE_TOO_LARGE: "a file of 50 MB",
  FILE_TOO_SLOW: "a file of 8 MB on a starved machine",
  FILE_TOO_COSTLY: "a file of 8 MB where the program has 128 MB of memory",
  FILE_NOT_UTF8: "a file saved as UTF-16",
  FILE_OUTSIDE: "a link to /etc/zones.yaml",
  FILE_NOT_REGULAR: "a pipe named zones.yaml",
  YAML_TOO_LARGE: "a list of 20,001 entries",
  TOO_MANY_PROBLEMS: "a file with more than 100 errors",
  TOO_MANY_WARNINGS: "a file with more than 1,000 warnings",
  INTERNAL_ERROR: "a bug of zonewarden",
  TOO_MANY_PROFILES: "a chain of 101 profiles, each of which extends the next",
  SELECTOR_CONFLICT: "two selectors that fit one zone, with different settings",
  SELECTOR_UNUSED: "a pattern that fits no zone of the token",
  ZONE_AMBIGUOUS: "a zone that is pending in two accounts",
  ZONE_NAMESAKE: "a zone that is active in one account and pending in another",
  ZONE_UNCERTAIN: "a zone that has moved, while the credential of its new account cannot list",
  ZONE_NOT_LISTED: "a zone of another account",
  NO_ZONE_DECLARED: "`zones: []` while the daemon has active zones",
  BOTH_DAY_FIELDS: 'cron: "0 0 13 * 5" in zonewarden.yaml',
};

/** All codes, in the order of their table. */
export const allCodes: readonly string[] = Object.keys(diagnosticCodes);

function zone(...lines: readonly string[]): string {
  return `zones:\n  - name: shop.example.com\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

/** A text of one of the two small languages, where it stands in a file. */
function valueExample(code: string, example: string): string {
  const isCsp = code.startsWith("CSP_");
  const value = isCsp ? JSON.stringify(example) : "script-src 'self'";
  const expression = JSON.stringify(isCsp ? "true" : example);
  return zone(
    "page_shield:",
    "  policies:",
    "    items:",
    "      - key: checkout",
    "        action: log",
    `        expression: ${expression}`,
    `        value: ${value}`,
  );
}
