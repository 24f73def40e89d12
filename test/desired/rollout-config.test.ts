import { describe, it } from "vitest";

import type { LoadedConfig } from "../../src/desired/config/load-config.ts";
import { loadedFrom } from "../support/config-from.ts";
import { problemLine } from "../support/problem-line.ts";

function load(rollout: string, store = "store: { path: state }"): Promise<LoadedConfig> {
  const text = `mode: observe\nrollout: ${rollout}\n${store}\n`;
  return loadedFrom(text, "/etc/zonewarden/zonewarden.yaml");
}

async function problems(rollout: string, store?: string): Promise<readonly string[]> {
  const { config, diagnostics } = await load(rollout, store);
  return config === undefined ? diagnostics.map((each) => problemLine(each, "")) : [];
}

const all = "{ share: 100% }";

describe("the waves of the configuration", () => {
  it("have names and shares, and soak for a day unless it says otherwise", async ({ expect }) => {
    const { config } = await load(`{ waves: [{ zones: [Blog.example] }, { share: 0.1 }, ${all}] }`);
    expect(config?.rollout).toEqual({
      waves: [
        { by: "zones", zones: ["blog.example"] },
        { by: "share", share: 0.1 },
        { by: "share", share: 1 },
      ],
      soakMs: 24 * 3_600_000,
      appliesTo: "all",
    });
  });

  it.for([
    { rollout: "{}", says: 'neither "waves" nor "token_file" is set' },
    { rollout: "{ soak: 1h }", says: 'neither "waves" nor "token_file" is set' },
    {
      rollout: "{ token_file: token, gate: { violations_per_10k_requests: 1 } }",
      says: "there are no waves that it keeps",
    },
    { rollout: "{ waves: [] }", says: "the list is empty" },
    { rollout: "{ waves: [{}] }", says: 'one of "zones" and "share" is required' },
    { rollout: `{ waves: [{ zones: [a.example], share: 1 }] }`, says: "exclude each other" },
    { rollout: `{ waves: [{ zones: [] }, ${all}] }`, says: "the list is empty" },
    {
      rollout: `{ waves: [{ zones: [shop..example] }, ${all}] }`,
      says: "this is no name of a zone",
    },
    {
      rollout: `{ waves: [{ zones: [a.example, a.example] }, ${all}] }`,
      says: "a.example is named before",
    },
    {
      rollout: `{ waves: [{ zones: [a.example] }, { zones: [A.example] }, ${all}] }`,
      says: "A.example is named before",
    },
    { rollout: `{ waves: [{ share: 50% }, { share: 0.5 }, ${all}] }`, says: "let the shares rise" },
    { rollout: `{ waves: [{ share: 0 }, ${all}] }`, says: "let the shares rise" },
    { rollout: `{ waves: [${all}, { share: 10% }] }`, says: "end with { share: 100% }" },
    { rollout: "{ waves: [{ share: 10% }] }", says: "end with { share: 100% }" },
    {
      rollout: `{ waves: [${all}, { zones: [a.example] }] }`,
      says: "end with { share: 100% }",
    },
    { rollout: `{ waves: [${all}], soak: 59s }`, says: "write a duration from 1m to 336h" },
    { rollout: `{ waves: [${all}], soak: 337h }`, says: "write a duration from 1m to 336h" },
    { rollout: `{ waves: [${all}], gate: {} }`, says: "the gate limits nothing" },
    {
      rollout: `{ waves: [${all}], gate: { requests_at_least: 10 } }`,
      says: "set violations_per_10k_requests or blocked_per_10k_requests",
    },
    {
      rollout: `{ waves: [${all}], gate: { blocked_per_10k_requests: -1 } }`,
      says: "write a number from 0 up",
    },
    {
      rollout: `{ waves: [${all}], gate: { blocked_per_10k_requests: 1, requests_at_least: 0 } }`,
      says: "write a number from 1 up",
    },
    {
      rollout: `{ waves: [${all}], gate: { blocked_per_10k_requests: 1 } }`,
      says: `"rollout.gate" is set without "measurements"`,
    },
    { rollout: `{ waves: [${all}], applies_to: breaks }`, says: "may_break" },
  ])("are wrong where they are $rollout", async ({ rollout, says }, { expect }) => {
    expect((await problems(rollout)).join("\n")).toContain(says);
  });

  it("have a gate, where measurements are on", async ({ expect }) => {
    const rollout = `{ waves: [${all}], gate: { violations_per_10k_requests: 0.5 } }`;
    const { config } = await load(rollout, "store: { path: state }\nmeasurements: {}");
    expect(config?.rollout?.gate).toEqual({
      violationsPer10k: 0.5,
      blockedPer10k: undefined,
      requestsAtLeast: 1000,
    });
  });

  it("may be left out, where people only command steps", async ({ expect }) => {
    const { config } = await load("{ token_file: token }");
    expect(config?.rollout).toBeUndefined();
    expect(config?.rolloutToken).toEqual({ file: "/etc/zonewarden/token" });
  });

  it("need a store, which knows after a restart which zones wait", async ({ expect }) => {
    expect(await problems(`{ waves: [${all}] }`, "")).toEqual([
      expect.stringContaining(`"rollout" is set without "store"`),
    ]);
  });
});
