import { describe, it } from "vitest";

import type { LivePolicy } from "../../src/zone/live-zone.ts";
import type { Policy } from "../../src/zone/resource.ts";
import { carriedOut, declared, livePolicy, policy } from "../support/model.ts";
import { plannedPolicies } from "../support/planned.ts";

const a = policy("a", { description: "New a" });
const b = policy("b", { description: "New b" });
const other = policy("other", { expression: 'http.host eq "pay.example.com"' });

function notes(
  items: readonly Policy[],
  live: readonly LivePolicy[],
  unmanaged?: "delete" | "ignore",
): readonly string[] {
  return plannedPolicies(declared(items, unmanaged), live).notes;
}

describe("a new policy that would double a live one without a mark", () => {
  it("is told with the live one and the remedy", ({ expect }) => {
    const live = [livePolicy("p1", { description: 'The "shop"' })];
    expect(notes([a], live)).toEqual([
      'policy/a would double the live policy p1 "The \\"shop\\"", which has the same expression and value, and stays; to have one policy, write back the description "The \\"shop\\"", run zonewarden adopt, and change it then',
    ]);
    // It is only told: the plan creates, and is not held.
    expect(plannedPolicies(declared([a]), live)).toMatchObject({
      changes: [{ verb: "create" }],
      holds: [],
    });
  });

  it("is told where its action, state or the layout of its expression differ too", ({ expect }) => {
    const differing: readonly Partial<LivePolicy>[] = [
      { action: "allow" },
      { enabled: false },
      { expression: '(http.host   eq "shop.example.com")' },
    ];
    for (const more of differing) expect(notes([a], [livePolicy("p1", more)])).toHaveLength(1);
    expect(notes([a], [livePolicy("p1")], "ignore")).toHaveLength(1);
  });

  it("is not told where the live one is another, or does not stay", ({ expect }) => {
    expect(notes([a], [livePolicy("p1", { value: "script-src 'none'" })])).toEqual([]);
    expect(notes([a], [livePolicy("p1", { expression: other.expression })])).toEqual([]);
    expect(notes([a], [livePolicy("p1", { description: "By hand [octo:a]" })])).toEqual([]);
    expect(notes([a], [carriedOut("p1", b)])).toEqual([]);
    expect(notes([a], [livePolicy("p1")], "delete")).toEqual([]);
  });

  it("names no live policy that another declared one matches, and each once", ({ expect }) => {
    // Two of one kind; three live: one of b, one of nobody with each action.
    const live = [
      livePolicy("p1", { description: b.description }),
      livePolicy("p2", { action: "allow" }),
      livePolicy("p3"),
    ];
    expect(notes([a, b, other], live)).toEqual([
      expect.stringMatching(/^policy\/a would double the live policy p3/),
    ]);
    expect(notes([a, b, other], live.slice(0, 1))).toEqual([]);
    const three = [a, policy("c"), policy("d"), other];
    expect(notes(three, live.slice(1))).toEqual([
      expect.stringMatching(/^policy\/a would .* p3 /),
      expect.stringMatching(/^policy\/c would .* p2 /),
    ]);
  });

  it("is matched by a description that the live one gets, where it has none", ({ expect }) => {
    const [note] = notes([a], [livePolicy("p1", { description: "" })]);
    expect(note).toMatch(
      /give p1 the description "New a" at the service, and run zonewarden adopt$/,
    );
    expect(notes([a], [livePolicy("p1", { description: "New a" })])).toEqual([]);
    const [both] = notes([{ ...a, description: "" }], [livePolicy("p1", { description: "" })]);
    expect(both).toMatch(/give p1 the description "a" at the service and in the file, and run/);
  });
});
