import { describe, it } from "vitest";

import {
  type Author,
  actorIdentity,
  authorName,
  authorsIn,
  changedByText,
  namesOfAuthors,
  shownName,
  writtenActor,
} from "../../src/plan/cause/author.ts";
import {
  causesIn,
  causesOf,
  changesWith,
  explained,
  fieldsWith,
} from "../../src/plan/cause/cause.ts";
import type { Cause } from "../../src/plan/change.ts";
import type { AuditActor } from "../../src/zone/audit-entry.ts";
import { carriedOut, declared, policy } from "../support/model.ts";
import { plannedPolicies } from "../support/planned.ts";

const nobody: AuditActor = { type: "", context: "", email: "", tokenId: "", tokenName: "" };
const alice = { ...nobody, type: "user", context: "dash", email: "alice@example.com" };
const token = { ...nobody, type: "account", context: "api_token", tokenName: "deploy" };

function same(a: AuditActor, b: AuditActor): boolean {
  return actorIdentity(a) === actorIdentity(b);
}

function author(actor: AuditActor, isCertain: boolean): Author {
  return {
    ...writtenActor(actor, "full"),
    at: new Date(0),
    method: "PUT",
    path: "/",
    ray: "",
    isCertain,
    fields: [],
  };
}

describe("the name of an actor", () => {
  it.for([
    { text: "alice@example.com", full: "alice@example.com", masked: "a…@example.com" },
    { text: "a@b@c.example", full: "a@b@c.example", masked: "a…@c.example" },
    { text: "@example.com", full: "@example.com", masked: "@…@example.com" },
    { text: "deploy token", full: "deploy token", masked: "deploy token" },
    { text: "a\u001b[1m\u202elice@b.c", full: "a[1mlice@b.c", masked: "a…@b.c" },
    { text: "", full: "", masked: "" },
  ])("$text is shown as $full, as $masked, or not at all", ({ text, full, masked }, { expect }) => {
    expect(shownName(text, "full")).toBe(full);
    expect(shownName(text, "masked")).toBe(masked);
    expect(shownName(text, "none")).toBe("");
  });
});

describe("an actor", () => {
  it.for<{ readonly actor: AuditActor; readonly yields: string; readonly none: string }>([
    {
      actor: alice,
      yields: "alice@example.com in the dashboard",
      none: "a person in the dashboard",
    },
    {
      actor: { ...alice, context: "api_key" },
      yields: "alice@example.com with an API key",
      none: "a person with an API key",
    },
    { actor: { ...alice, context: "new" }, yields: "alice@example.com", none: "a person" },
    { actor: { ...alice, context: "system" }, yields: "alice@example.com", none: "a person" },
    { actor: token, yields: "API token deploy", none: "an API token" },
    { actor: { ...nobody, tokenId: "1" }, yields: "an API token", none: "an API token" },
    {
      actor: { ...nobody, type: "system" },
      yields: "the service itself",
      none: "the service itself",
    },
    {
      actor: { ...nobody, context: "system" },
      yields: "the service itself",
      none: "the service itself",
    },
    { actor: { ...nobody, type: "user" }, yields: "a person", none: "a person" },
    {
      actor: { ...nobody, context: "oauth" },
      yields: "somebody with an OAuth application",
      none: "somebody with an OAuth application",
    },
    {
      actor: { ...nobody, context: "api" },
      yields: "somebody with the API",
      none: "somebody with the API",
    },
    {
      actor: { ...nobody, context: "origin_ca_key" },
      yields: "somebody with an Origin CA key",
      none: "somebody with an Origin CA key",
    },
    {
      actor: { ...nobody, context: "api_token" },
      yields: "somebody with an API token",
      none: "somebody with an API token",
    },
    { actor: nobody, yields: "somebody", none: "somebody" },
  ])("is told as $yields, or without names as $none", ({ actor, yields, none }, { expect }) => {
    expect(authorName(writtenActor(actor, "full"))).toBe(yields);
    expect(authorName(writtenActor(actor, "none"))).toBe(none);
    expect(writtenActor(actor, "none").name).toBe("");
  });

  it("is the same by e-mail address, or by token, type and way", ({ expect }) => {
    expect(same(alice, { ...alice, context: "api_key", tokenId: "1" })).toBe(true);
    expect(same(alice, { ...alice, email: "bob@example.com" })).toBe(false);
    for (const changed of ["tokenId", "tokenName", "type", "context"] as const) {
      expect(same(token, { ...token, [changed]: "other" })).toBe(false);
    }
  });
});

describe("several authors", () => {
  it("are those of changes for which the audit log was asked", ({ expect }) => {
    const all = [author(alice, true), author(token, false), author(token, true)];
    expect(authorsIn([{ authors: all.slice(0, 1) }, {}, { authors: all.slice(1) }])).toEqual(all);
    expect(authorsIn([{ authors: undefined }])).toEqual([]);
  });

  it("are told once each, those who are certain first", ({ expect }) => {
    const all = [
      author(token, false),
      author(alice, true),
      author(alice, true),
      author(alice, false),
    ];
    expect(namesOfAuthors(all)).toBe(
      "alice@example.com in the dashboard, possibly API token deploy",
    );
    expect(changedByText(all)).toBe(
      "changed by alice@example.com in the dashboard; possibly changed by API token deploy",
    );
    expect(changedByText([author(token, false), author(alice, false)])).toBe(
      "possibly changed by API token deploy or alice@example.com in the dashboard",
    );
    for (const none of [namesOfAuthors([]), changedByText([])]) expect(none).toBe("");
  });
});

const differing = { enabled: false, action: "allow" };
const { changes } = plannedPolicies(
  declared([policy("a"), policy("b"), policy("c")]),
  ["a", "b", "c"].map((key) => carriedOut(key, policy(key), differing)),
);

/** The changes of the policies a, b and c, each with the causes of its fields. */
const explainedChanges = changes.map((change) =>
  explained(change, (field) => {
    const causes: Readonly<Record<string, readonly Cause[]>> = {
      "policy/a action": ["drift", "pending"],
      "policy/a enabled": ["pending"],
      "policy/b action": ["unknown"],
    };
    return causes[`${change.key} ${field}`] ?? [];
  }),
);

describe("the causes of changes", () => {
  const [a, b, c] = explainedChanges;
  if (a === undefined || b === undefined || c === undefined) throw new Error("no three changes");

  it("name the fields that each explains", ({ expect }) => {
    expect(a.causes).toEqual([
      { cause: "drift", fields: ["action"] },
      { cause: "pending", fields: ["action", "enabled"] },
    ]);
    expect(causesOf(a)).toEqual(["drift", "pending"]);
    expect(fieldsWith("pending", a)).toEqual(["action", "enabled"]);
    expect(fieldsWith("unknown", a)).toEqual([]);
    expect(c.causes).toEqual([]);
  });

  it("are listed once for several changes, in one order", ({ expect }) => {
    expect(causesIn([b, a, a])).toEqual(["drift", "pending", "unknown"]);
    expect(causesIn([b, c])).toEqual(["unknown"]);
    expect(causesIn([])).toEqual([]);
  });

  it("select the changes that have them", ({ expect }) => {
    expect(changesWith("drift", explainedChanges)).toEqual([a]);
    expect(changesWith("pending", explainedChanges)).toEqual([a]);
    expect(changesWith("unknown", explainedChanges)).toEqual([b]);
  });
});
