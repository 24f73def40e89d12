import { describe, it } from "vitest";

import { entrypointOf, ruleActionOf } from "../../src/api/read/parse-entrypoint.ts";
import { policiesOf, policyOf, settingsOf } from "../../src/api/read/parse-page-shield.ts";
import type { JsonObject } from "../../src/syntax/json.ts";

const noSwitches = { enabled: undefined, action: undefined, sensitivity_level: undefined };
const noOverrides = { ...noSwitches, categories: [], rules: [] };

describe("settings", () => {
  const canonical = {
    enabled: true,
    use_cloudflare_reporting_endpoint: false,
    use_connection_url_path: true,
  };

  it.for([
    {
      when: "as the real service writes them",
      wire: { ...canonical, updated_at: "2026-01-01T00:00:00Z" },
    },
    {
      when: "as the specification page names them, with texts for booleans",
      wire: {
        enabled: "true",
        use_service_reporting_endpoint: "false",
        use_connection_url_path: "true",
      },
    },
    {
      when: "under both names: the real one counts",
      wire: { ...canonical, use_service_reporting_endpoint: true },
    },
  ])("$when", ({ wire }, { expect }) => {
    expect(settingsOf(wire)).toEqual(canonical);
  });

  it.for([
    { wire: null },
    { wire: [] },
    { wire: { enabled: true } },
    { wire: { ...canonical, enabled: "yes" } },
    { wire: { ...canonical, use_cloudflare_reporting_endpoint: null } },
    { wire: { ...canonical, use_connection_url_path: null } },
  ])("are not made up where one is missing: $wire", ({ wire }, { expect }) => {
    expect(settingsOf(wire)).toBeUndefined();
  });
});

describe("policies", () => {
  const wire = {
    id: "p1",
    description: "Checkout [zonewarden:checkout]",
    action: "log",
    expression: ' http.host eq "a"\r\n',
    enabled: "true",
    value: "Script-Src  b.example 'self' a.example; default-src 'none'",
    position: 3,
    created_at: "2026-01-01T00:00:00Z",
  };

  it("are brought into canonical form; unknown fields are kept apart", ({ expect }) => {
    const { value, ...policy } = policyOf(wire) ?? { value: "" };
    expect(policy).toEqual({
      id: "p1",
      description: "Checkout [zonewarden:checkout]",
      action: "log",
      expression: 'http.host eq "a"',
      enabled: true,
      rest: { position: 3 },
    });
    const respelled = {
      ...wire,
      value: "default-src 'none';script-src a.example 'self' b.example",
    };
    expect(policyOf(respelled)?.value).toBe(value);
  });

  it.for([
    { result: null },
    { result: {} },
    { result: [null] },
    { result: [wire, "text"] },
    { result: [wire, { description: "without an id" }] },
    { result: [{ ...wire, id: ".." }] },
    { result: [{ ...wire, id: "a/b" }] },
  ])("are read whole or not at all: $result", ({ result }, { expect }) => {
    expect(policiesOf(result)).toBeUndefined();
  });
});

describe("a policy of the service", () => {
  it("has what zonewarden compares, and what it does not know", ({ expect }) => {
    const id = "a".repeat(32);
    const known = { id, description: "", action: "log", expression: "ssl", enabled: true };
    const dates = ["created_at", "created_on", "updated_at", "modified_on", "last_updated"];
    const own = Object.fromEntries(dates.map((name) => [name, "2026-11-20T12:00:00Z"]));
    const wire = { ...known, value: "img-src 'self'", ...own, version: "3", future: [1] };
    expect(policyOf(wire)).toEqual({
      ...known,
      value: "img-src 'self'",
      rest: { future: [1] },
    });
  });
});

it.for([null, [], "text", {}, { id: "" }, { id: ".." }, { id: "a/b" }])(
  "what has no valid id is no policy: %j",
  (wire, { expect }) => {
    expect(policyOf(wire)).toBeUndefined();
  },
);

describe("an entry point", () => {
  const rule = { id: "r1", version: "3", action: "execute", action_parameters: { id: "m1" } };

  it("keeps each rule as it came beside what we understand of it", ({ expect }) => {
    const strange = { ...rule, id: "r2", ref: "own", action: "score", new_field: { a: [1] } };
    const entrypoint = entrypointOf({ id: "e1", version: 7, rules: [rule, strange] });
    expect(entrypoint).toMatchObject({
      state: "present",
      id: "e1",
      version: "7",
      rules: [
        {
          id: "r1",
          ref: "r1",
          version: "3",
          description: "",
          expression: "",
          enabled: true,
          action: { type: "execute", ruleset: "m1", overrides: noOverrides },
        },
        { id: "r2", ref: "own", action: { type: "other", name: "score" } },
      ],
    });
    expect(entrypoint?.rules.map(({ wire }) => wire)).toEqual([rule, strange]);
  });

  it.for([{ rules: [] }, {}])("may be empty: %j", (part, { expect }) => {
    const entrypoint = entrypointOf({ id: "e1", version: "1", ...part });
    expect(entrypoint).toEqual({ state: "present", id: "e1", version: "1", rules: [] });
  });

  it.for([
    { result: null },
    { result: [] },
    { result: { id: "e1", rules: [] } },
    { result: { version: "1", rules: [] } },
    { result: { id: "e1", version: "1", rules: {} } },
    { result: { id: "e1", version: "1", rules: [rule, null] } },
    { result: { id: "e1", version: "1", rules: [rule, { action: "skip" }] } },
    { result: { id: "..", version: "1", rules: [] } },
    { result: { id: "e1", version: "../2", rules: [] } },
    { result: { id: "e1", version: "1", rules: [{ ...rule, id: ".." }] } },
    { result: { id: "e1", version: "1", rules: [{ ...rule, ref: "a\nb" }] } },
  ])("is not made up: $result", ({ result }, { expect }) => {
    expect(entrypointOf(result)).toBeUndefined();
  });
});

function overridesOf(overrides: JsonObject): unknown {
  const does = ruleActionOf({
    action: "execute",
    action_parameters: { id: "m1", version: "latest", overrides },
  });
  return does.type === "execute" ? does.overrides : does;
}

describe("overrides", () => {
  it.for([{ wire: {} }, { wire: { categories: [], rules: [] } }, { wire: { categories: null } }])(
    "empty and missing lists are the same: $wire",
    ({ wire }, { expect }) => {
      expect(overridesOf(wire)).toEqual(noOverrides);
    },
  );

  it("keep the order of categories, which has meaning, and sort rules by id", ({ expect }) => {
    const wire = {
      action: "log",
      categories: [
        { category: "paranoia-level-4", enabled: "false" },
        { category: "language-php", enabled: true, action: "block" },
      ],
      rules: [
        { id: "b", score_threshold: 40, action: "block" },
        { id: "a", enabled: false },
      ],
    };
    expect(overridesOf(wire)).toEqual({
      ...noSwitches,
      action: "log",
      categories: [
        { category: "paranoia-level-4", ...noSwitches, enabled: false },
        { category: "language-php", ...noSwitches, enabled: true, action: "block" },
      ],
      rules: [
        { id: "a", ...noSwitches, enabled: false, score_threshold: undefined },
        { id: "b", ...noSwitches, action: "block", score_threshold: 40 },
      ],
    });
  });
});

describe("a skip rule", () => {
  it("logs unless it says otherwise", ({ expect }) => {
    const skip = { action: "skip", action_parameters: { ruleset: "current" } };
    expect(ruleActionOf(skip)).toMatchObject({ logging: true, skip: { phase: false, rules: {} } });
    const silent = { ...skip, logging: { enabled: false } };
    expect(ruleActionOf(silent)).toMatchObject({ logging: false });
  });

  it.for([
    { wire: { action: "execute" }, yields: { type: "other", name: "execute" } },
    {
      wire: { action: "execute", action_parameters: { id: 7, extra: [] } },
      yields: { type: "execute", ruleset: "7", overrides: noOverrides },
    },
    { wire: {}, yields: { type: "other", name: "" } },
    {
      wire: { action: "set_config", action_parameters: null },
      yields: { type: "other", name: "set_config" },
    },
  ])("what is not understood is never dropped: $wire", ({ wire, yields }, { expect }) => {
    expect(ruleActionOf(wire)).toEqual(yields);
  });
});
