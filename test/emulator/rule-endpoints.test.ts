import { assert, asyncProperty, integer, nat, tuple } from "fast-check";
import { describe, it } from "vitest";

import type { JsonObject } from "../../src/syntax/json.ts";
import {
  type Got,
  type TestEmulator,
  errorOf,
  listIn,
  resultOf,
  testEmulator,
  textIn,
} from "../support/emulator.ts";

const owasp = "4814384a9e5d4991b9815dcfc25d2f1f";

function skipping(ref: string): JsonObject {
  return { ref, action: "skip", action_parameters: { rulesets: [owasp] }, expression: "ssl" };
}

/** A ruleset with the rules a, b and c; gives the path of its rules and their ids. */
async function threeRules(world: TestEmulator): Promise<{ path: string; ids: readonly string[] }> {
  const zone = `/zones/${await world.zoneId("www.brand.example")}/rulesets`;
  const entrypoint = `${zone}/phases/http_request_firewall_managed/entrypoint`;
  const rules = ["a", "b", "c"].map(skipping);
  const ruleset = resultOf(await world.call("PUT", entrypoint, { rules }));
  const ids = listIn(ruleset["rules"]).map((rule) => textIn(rule, "id"));
  return { path: `${zone}/${textIn(ruleset, "id")}/rules`, ids };
}

function refsIn(answer: Got): string {
  return listIn(resultOf(answer)["rules"])
    .map((rule) => textIn(rule, "ref"))
    .join("");
}

describe("a rule", () => {
  it.for([
    { position: undefined, yields: "abcd" },
    { position: { before: "" }, yields: "dabc" },
    { position: { after: "" }, yields: "abcd" },
    { position: { before: "b" }, yields: "adbc" },
    { position: { after: "b" }, yields: "abdc" },
    { position: { index: 1 }, yields: "dabc" },
    { position: { index: 4 }, yields: "abcd" },
  ])("added with position $position gives $yields", async ({ position, yields }, context) => {
    await using world = await testEmulator(context);
    const { path, ids } = await threeRules(world);
    const named = position === undefined ? {} : { position: withIds(position, ids) };
    const answer = await world.call("POST", path, { ...skipping("d"), ...named });
    context.expect(answer.status).toBe(200);
    context.expect(refsIn(answer)).toBe(yields);
  });

  it.for([
    { position: { before: "", after: "" } },
    { position: {} },
    { position: { index: 0 } },
    { position: { index: 5 } },
    { position: { index: 1.5 } },
    { position: { index: "1" } },
    { position: { before: "0".repeat(32) } },
    { position: { between: "a" } },
    { position: "first" },
  ])("is not added with position $position", async ({ position }, context) => {
    await using world = await testEmulator(context);
    const { path } = await threeRules(world);
    const answer = await world.call("POST", path, { ...skipping("d"), position });
    context.expect(answer.status).toBe(400);
    context.expect(JSON.stringify(errorOf(answer)["source"])).toContain("/position");
  });

  it("that only moves keeps its version, while its ruleset gets a new one", async (context) => {
    await using world = await testEmulator(context);
    const { path, ids } = await threeRules(world);
    const answer = await world.call("PATCH", `${path}/${ids[2] ?? ""}`, { position: { index: 1 } });
    context.expect(refsIn(answer)).toBe("cab");
    context.expect(resultOf(answer)["version"]).toBe("2");
    context.expect(listIn(resultOf(answer)["rules"])[0]?.["version"]).toBe("1");
  });

  it("is replaced by a PATCH, not merged", async (context) => {
    await using world = await testEmulator(context);
    const { path, ids } = await threeRules(world);
    const full = { ...skipping("a"), description: "Mine", enabled: false };
    await world.call("PATCH", `${path}/${ids[0] ?? ""}`, full);
    const answer = await world.call("PATCH", `${path}/${ids[0] ?? ""}`, skipping("a"));
    context
      .expect(listIn(resultOf(answer)["rules"])[0])
      .toMatchObject({ id: ids[0], version: "3", description: "", enabled: true });
  });

  it("loses its ref in a PATCH that does not repeat it", async (context) => {
    await using world = await testEmulator(context);
    const { path, ids } = await threeRules(world);
    const { ref: _ref, ...bare } = skipping("a");
    const answer = await world.call("PATCH", `${path}/${ids[0] ?? ""}`, bare);
    context.expect(listIn(resultOf(answer)["rules"])[0]?.["ref"]).toBe(ids[0]);
  });

  it("needs all its fields in a PATCH", async (context) => {
    await using world = await testEmulator(context);
    const { path, ids } = await threeRules(world);
    const answer = await world.call("PATCH", `${path}/${ids[0] ?? ""}`, { enabled: false });
    context.expect(errorOf(answer)).toMatchObject({ source: { pointer: "/action" } });
  });

  it("is deleted with the whole ruleset as the response, and then not found", async (context) => {
    await using world = await testEmulator(context);
    const { path, ids } = await threeRules(world);
    const answer = await world.call("DELETE", `${path}/${ids[1] ?? ""}`);
    context.expect(answer.status).toBe(200);
    context.expect(refsIn(answer)).toBe("ac");
    context.expect((await world.call("DELETE", `${path}/${ids[1] ?? ""}`)).status).toBe(404);
    context.expect((await world.call("PATCH", `${path}/short`, {})).status).toBe(404);
  });

  it("leaves the others in their order wherever it moves", async (context) => {
    await using world = await testEmulator(context);
    const { path, ids } = await threeRules(world);
    let version = 1;
    const moves = tuple(nat({ max: 2 }), integer({ min: 1, max: 3 }));
    await assert(
      asyncProperty(moves, async ([moved, index]) => {
        const id = ids[moved] ?? "";
        const before = refsIn(
          await world.call("PATCH", `${path}/${id}`, { position: { index: 1 } }),
        );
        const answer = await world.call("PATCH", `${path}/${id}`, { position: { index } });
        const after = refsIn(answer);
        const ref = "abc".charAt(moved);
        version += 2;
        return (
          after.indexOf(ref) === index - 1 &&
          after.replace(ref, "") === before.replace(ref, "") &&
          resultOf(answer)["version"] === String(version)
        );
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });
});

/** Puts ids in the place of refs. */
function withIds(position: Readonly<Record<string, unknown>>, ids: readonly string[]): unknown {
  return Object.fromEntries(
    Object.entries(position).map(([name, value]) => [
      name,
      typeof value === "string" && value !== "" ? ids["abc".indexOf(value)] : value,
    ]),
  );
}
