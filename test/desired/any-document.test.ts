import { describe, it } from "vitest";

import { linesOf, loadText } from "../support/desired.ts";

describe("any document", () => {
  it("with a map that hides the methods of objects is one with a wrong value", async ({
    expect,
  }) => {
    const text = "zones:\n  - name: a.example\n    managed_rules: { unmanaged: { toString: 1 } }\n";
    expect(linesOf(await loadText(text))).toEqual([
      "a.yaml:3:33: error: a map is none of report, delete, ignore; use one of these values [WRONG_VALUE]",
    ]);
  });

  it.for(["action: 'b${vars.mode}'", "paranoia_level: '1${vars.pl}'", "key: '${vars.key}'"])(
    "with a placeholder where none is filled says so: %s",
    async (field, { expect }) => {
      const text = `zones:\n  - name: a.example\n    managed_rules: { rules: [{ deploy: owasp, key: o, ${field} }] }\n`;
      const lines = linesOf(await loadText(text.replace("key: o, key", "key")));
      expect(lines.join("\n")).toContain("a placeholder can be a value as a whole");
    },
  );
});
