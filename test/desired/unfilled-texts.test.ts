import { describe, it } from "vitest";

import { linesOf, loadText } from "../support/desired.ts";

function unfilled(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.includes("UNFILLED_TEXT"));
}

function exempting(text: string): string {
  return `profiles:
  p: { vars: { host: x.a.example } }
zones:
  - name: a.example
    profiles: [p]
    managed_rules:
      rules:
        - { key: o, deploy: owasp, expression: 'http.host ne "\${vars.host}"' }
        - { key: s, deploy: free, expression: 'http.host ne "${text}"' }
`;
}

describe("a placeholder without its dollar or braces", () => {
  it.for([
    ["$zone.name", "$zone.name", "zone.name"],
    ["www.$zone.name", "$zone.name", "zone.name"],
    ["$vars.host", "$vars.host", "vars.host"],
    ["$vars.host.example", "$vars.host", "vars.host"],
    ["$(zone.name)", "$(zone.name)", "zone.name"],
    ["{zone.name}", "{zone.name}", "zone.name"],
    ["{ vars.host }", "{ vars.host }", "vars.host"],
  ])("is told: %s", async ([text = "", shown = "", name = ""], { expect }) => {
    const lines = unfilled(linesOf(await loadText(exempting(text))));
    expect(lines).toEqual([
      `a.yaml:9:47: warning: "${shown}" is text, and no placeholder; write \${${name}} [UNFILLED_TEXT]`,
    ]);
    // The remedy fills it.
    const mended = exempting(text.replace(shown, `\${${name}}`));
    expect(unfilled(linesOf(await loadText(mended)))).toEqual([]);
  });

  it("is told in every text that is filled, also of a profile and a variable", async ({
    expect,
  }) => {
    const lines = linesOf(
      await loadText(`description: what $zone.name means
profiles:
  p:
    description: for $zone.name
    vars: { host: www.$zone.name }
    page_shield:
      policies:
        items:
          - { key: a, description: Of $zone.name, action: log, expression: 'http.host eq "\${vars.host}"', value: script-src 'self' }
zones:
  - { name: a.example, profiles: [p] }
  - { name: b.example, profiles: [p] }
`),
    );
    const at = unfilled(lines).map((line) => line.replace(/: warning.*/, ""));
    expect(at).toEqual(["a.yaml:5:19", "a.yaml:9:36"]);
  });

  it.for(["$${zone.name}", "${zone.name}", "$zone", "zone.name", "$names.x", "a{zone.namex}"])(
    "is not told for %s",
    async (text, { expect }) => {
      expect(unfilled(linesOf(await loadText(exempting(text))))).toEqual([]);
    },
  );
});
