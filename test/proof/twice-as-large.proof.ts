import { describe, it } from "vitest";
import { parseAllDocuments } from "yaml";

import { checkText } from "../../src/desired/load/check-text.ts";
import { threadTimeOf } from "../support/thread-time.ts";

function list(length: number, item: (index: number) => string): string {
  return Array.from({ length }, (_, index) => item(index)).join("");
}

describe("a file that is twice as large", () => {
  it.for([
    { what: "keys", text: (n: number) => `zones: []\n${list(60 * n, (i) => `k${i}: 1\n`)}` },
    {
      what: "unused profiles",
      text: (n: number) => `profiles:\n${list(8 * n, (i) => `  p${i}: {}\n`)}`,
    },
    {
      what: "profiles in a chain",
      text: (n: number) =>
        `profiles:\n${list(8 * n, (i) => `  p${i}: { extends: [p${i + 1}] }\n`)}`,
    },
    {
      what: "zones without their profile",
      text: (n: number) =>
        `zones:\n${list(8 * n, (i) => `  - { name: z${i}.example, profiles: [p${i}] }\n`)}`,
    },
    {
      what: "zones with one name",
      text: (n: number) => `zones:\n${list(8 * n, () => "  - name: a.example\n")}`,
    },
    {
      what: "suppressions",
      text: (n: number) =>
        `${list(50 * n, () => "# zonewarden-disable-next-line CSP_NO_SELF -- a\n")}zones: []\n`,
    },
    {
      what: "documents",
      text: (n: number) => list(10 * n, (i) => `---\nzones: [{ name: z${i}.example }]\n`),
    },
    {
      what: "errors",
      text: (n: number) => `zones:\n${list(8 * n, () => "  - { nam: a.example }\n")}`,
    },
    {
      what: "policies of many zones",
      text: (n: number) =>
        `zones:\n${list(n / 4, (i) => `  - name: z${i}.example\n    page_shield: { policies: { items: [${list(20, (k) => `{ key: k${k}, action: log, expression: ssl, value: "img-src a${k}.example" }, `)}] } }\n`)}`,
    },
  ])("takes about twice the time, or is refused: $what", ({ text }, { expect }) => {
    const [small, large] = [text(1_000), text(2_000)];
    checkText("a.yaml", small);
    const rounds = 3;
    const least = (work: () => void): number =>
      Math.min(...Array.from({ length: rounds }, () => threadTimeOf(work)));
    // Its check for repeated keys is quadratic.
    const yaml = least(() => void parseAllDocuments(large, { uniqueKeys: false }));
    const [once, twice] = [
      least(() => void checkText("a.yaml", small)),
      least(() => void checkText("a.yaml", large)),
    ];
    // Four times would be quadratic. What takes less than the parser does not matter.
    expect(twice).toBeLessThan(Math.max(3 * once, 3 * yaml));
  });
});
