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

  it.for(["action: '${vars.mode}'", "paranoia_level: '${vars.pl}'", "deploy: '${vars.set}'"])(
    "with a placeholder where none is filled says so: %s",
    async (field, { expect }) => {
      const text = `zones:\n  - name: a.example\n    managed_rules: { rules: [{ key: o, deploy: owasp, ${field} }] }\n`;
      const lines = linesOf(await loadText(text.replace(/deploy: owasp, (?=deploy)/, "")));
      expect(lines.join("\n")).toContain("placeholders work in `description`, in expressions");
    },
  );
});
