import { describe, it } from "vitest";

import { gapsText, writtenFilesText } from "../../src/cli/session/import-zones.ts";
import type { LeftOut } from "../../src/plan/import/candidate.ts";

function zonesWith(count: number, leftOut: readonly LeftOut[]) {
  return Array.from({ length: count }, (_, number) => ({ zone: `${number}.example.com`, leftOut }));
}

const theirs: LeftOut = { kind: "policy", id: "a1", title: "Theirs", reason: "belongs to team-b" };
const twin: LeftOut = {
  kind: "rule",
  id: "b2",
  title: "",
  reason: "bears the same ref as another rule",
};

describe("what an import omits", () => {
  it("is listed one by one for a few zones", ({ expect }) => {
    expect(
      gapsText([
        { zone: "shop.example.com", leftOut: [theirs, { ...twin, isFollowUp: true }, twin] },
        { zone: "blog.example.com", failure: "the token may not read it" },
      ]),
    ).toBe(
      `shop.example.com: policy "Theirs" (a1) belongs to team-b
shop.example.com: rule b2 bears the same ref as another rule
blog.example.com: not imported: the token may not read it
`,
    );
    expect(gapsText(zonesWith(400, []))).toBe("");
  });

  it("is one line for each reason in a large fleet, the most frequent first", ({ expect }) => {
    const failed = { zone: "blog.example.com", failure: "the token may not read it" };
    const gaps = [failed, ...zonesWith(2, [twin]), ...zonesWith(400, [theirs])];
    expect(gapsText(gaps)).toBe(
      `400 policies left out: belongs to team-b (0.example.com and 399 more)
2 rules left out: bears the same ref as another rule (0.example.com and 1 more)
1 zone not imported: the token may not read it (blog.example.com)
To see each of them, import one zone: zonewarden import ZONE
`,
    );
  });

  it("stays on one screen where every resource has a reason of its own", ({ expect }) => {
    const gaps = zonesWith(1_000, [theirs]).map(({ zone }, number) => ({
      zone,
      leftOut: [{ ...theirs, reason: `belongs to team-${number}` }],
    }));
    const lines = gapsText(gaps).trimEnd().split("\n");
    expect(lines).toHaveLength(22);
    expect(lines.at(-2)).toBe("and 980 more reasons");
  });
});

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `zones/${number}.yaml`);
}

describe("the files of an import", () => {
  it("are listed one by one up to 20", ({ expect }) => {
    expect(writtenFilesText(names(2), "zones")).toBe("zones/0.yaml\nzones/1.yaml\n");
    expect(writtenFilesText(names(20), "zones").split("\n")).toHaveLength(21);
    expect(writtenFilesText(names(21), "zones")).toBe("wrote 21 zone files into zones\n");
  });
});
