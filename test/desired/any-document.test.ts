import * as fc from "fast-check";
import { describe, it } from "vitest";

import { parseZoneFile } from "../../src/desired/load/parse-zone-file.ts";
import { linesOf, loadText } from "../support/desired.ts";
import { cases } from "../support/properties.ts";

const keys = ["name", "unmanaged", "action", "mode", "items", "rules", "key", "deploy", "value"];
const inherited = ["toString", "constructor", "hasOwnProperty", "valueOf", "toJSON", "length"];

const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, 1, -1.5, "", "block", "constructor", "${vars.a}"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys, ...inherited), tie("value"), { maxKeys: 3 }),
  ),
})).value;

const holders: readonly ((value: unknown) => object)[] = [
  (value) => ({ managed_rules: { unmanaged: value } }),
  (value) => ({ managed_rules: { rules: [{ key: "a", deploy: "owasp", action: value }] } }),
  (value) => ({ managed_rules: { rules: [{ key: "a", skip: { products: [value] } }] } }),
  (value) => ({ page_shield: { policies: { items: [{ key: "a", action: value }] } } }),
  (value) => ({ page_shield: value }),
  (value) => ({ suspend: value }),
  (value) => ({ vars: value }),
];

describe("any document", () => {
  it("gives diagnostics with a place, and never an internal error", () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(...holders), (value, holder) => {
        const text = JSON.stringify({ zones: [{ name: "a.example", ...holder(value) }] });
        const { diagnostics } = parseZoneFile("a.yaml", "", new TextEncoder().encode(text));
        return diagnostics.every(
          ({ code, place }) => code !== "INTERNAL_ERROR" && place.line >= 1 && place.column >= 1,
        );
      }),
      cases(400),
    );
  });

  it("with a map that hides the methods of objects is one with a wrong value", async ({
    expect,
  }) => {
    const text = "zones:\n  - name: a.example\n    managed_rules: { unmanaged: { toString: 1 } }\n";
    expect(linesOf(await loadText(text))).toEqual([
      "a.yaml:3:33: error: a map is none of report, delete, ignore; use one of these values [WRONG_VALUE]",
    ]);
  });

  it.for(["action: '${vars.mode}'", "paranoia_level: '${vars.pl}'", "deploy: '${vars.set}'"])(
    "with a placeholder where none is filled says so: %s",
    async (field, { expect }) => {
      const text = `zones:\n  - name: a.example\n    managed_rules: { rules: [{ key: o, deploy: owasp, ${field} }] }\n`;
      const lines = linesOf(await loadText(text.replace(/deploy: owasp, (?=deploy)/, "")));
      expect(lines.join("\n")).toContain("placeholders work in `description`, `expression`");
    },
  );
});
