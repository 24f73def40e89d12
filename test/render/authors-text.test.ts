import { describe, it } from "vitest";

import { type Author, writtenActor } from "../../src/plan/cause/author.ts";
import type { Cause } from "../../src/plan/change.ts";
import { agoOf, authorsText } from "../../src/render/cause-text.ts";
import { auditEntry } from "../support/audit-entries.ts";
import { at, change } from "../support/reports.ts";

const { actor, method, path, ray } = auditEntry();

function author(email: string, isCertain: boolean, ...fields: readonly string[]): Author {
  const shown = writtenActor({ ...actor, email }, "full");
  return { ...shown, at: at(0), method, path, ray, isCertain, fields };
}

const [alice, bob] = ["alice@example.com", "bob@example.com"] as const;
const [one, two] = [
  change("policy/shop"),
  change("policy/shop", "strengthens", {
    fields: [
      { field: "action", before: "log", after: "allow" },
      { field: "enabled", before: false, after: true },
    ],
  }),
];

describe("the authors of a change in words", () => {
  it.for<{
    readonly when: string;
    readonly cause?: Cause;
    readonly authors: readonly Author[] | undefined;
    readonly of?: typeof one;
    readonly says: string;
  }>([
    { when: "the log was not asked", authors: undefined, says: "" },
    {
      when: "the log names nobody",
      authors: [],
      says: "cause unknown: the audit log names nobody",
    },
    { when: "nobody knows whether it is drift", cause: "unknown", authors: [], says: "" },
    {
      when: "one is certain",
      authors: [author(alice, true, "enabled")],
      says: "changed by alice@example.com in the dashboard, 14 min ago",
    },
    {
      when: "several are possible",
      authors: [author(alice, false, "enabled"), author(bob, false, "enabled")],
      says: "possibly changed by alice@example.com in the dashboard, 14 min ago or by bob@example.com in the dashboard, 14 min ago",
    },
    {
      when: "each made one of two fields",
      of: two,
      authors: [author(alice, true, "action"), author(bob, false, "enabled")],
      says: "action changed by alice@example.com in the dashboard, 14 min ago; enabled possibly changed by bob@example.com in the dashboard, 14 min ago",
    },
  ])("where $when", ({ cause = "drift", authors, of = one, says }, { expect }) => {
    const causes = [{ cause, fields: of.fields.map(({ field }) => field) }];
    const made = authors === undefined ? {} : { authors };
    expect(authorsText({ ...of, causes, ...made }, agoOf(at(14)))).toBe(says);
  });
});
