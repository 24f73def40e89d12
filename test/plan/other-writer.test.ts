import * as fc from "fast-check";
import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import { type LiveZone, rulesIn } from "../../src/zone/live-zone.ts";
import type { LiveWriter } from "../../src/zone/ports.ts";
import type { MitigateRule, Rule, RulePosition } from "../../src/zone/resource.ts";
import type { Write } from "../../src/zone/write.ts";
import { appliedBy } from "../support/applied-writes.ts";
import { SimulatedClock } from "../support/clock.ts";
import { type Emulated, emulated } from "../support/emulated.ts";
import { declared, desiredZone, owner, readAllAt } from "../support/model.ts";
import { cases } from "../support/properties.ts";

/** Five times as many interleavings in the proofs (test/support/properties.ts). */
const runs = cases(50);

const keys = ["a", "b", "c", "d", "e"];
const parts = {
  settings: false,
  policies: false,
  rules: ["custom_rules"],
  scoreRule: false,
} as const;

/** What somebody else does to the rules of the same phase. */
interface OtherStep {
  readonly does: "nothing" | "add" | "move" | "delete" | "edit" | "put";
  readonly which: number;
  readonly where: number;
}

const otherStep: fc.Arbitrary<OtherStep> = fc.record({
  does: fc.constantFrom("nothing", "add", "add", "move", "delete", "edit", "put"),
  which: fc.nat(9),
  where: fc.nat(9),
});

const position: fc.Arbitrary<RulePosition | undefined> = fc.option(
  fc.oneof(
    fc.constantFrom<RulePosition>("first", "last"),
    fc.constantFrom(...keys).map((key): RulePosition => ({ before: `${owner}:${key}` })),
  ),
  { nil: undefined, freq: 4 },
);

const declaredRule: fc.Arbitrary<MitigateRule> = fc.record({
  key: fc.constantFrom(...keys),
  was: fc.constant(undefined),
  position,
  description: fc.constantFrom("", "Admin", "Shop"),
  expression: fc.constantFrom("ssl", "not ssl", 'http.host eq "a.example"'),
  enabled: fc.boolean(),
  action: fc.constantFrom("block", "managed_challenge", "js_challenge"),
  response: fc.constant(undefined),
  ratelimit: fc.constant(undefined),
  promotion: fc.constant(undefined),
});

/** Declared rules of which no position contradicts the order of the list. */
const declaredRules: fc.Arbitrary<readonly Rule[]> = fc
  .uniqueArray(declaredRule, { selector: ({ key }) => key, maxLength: keys.length })
  .map((rules) =>
    rules.map((rule, index) => {
      const { position: at } = rule;
      const named = typeof at === "object" && "before" in at ? at.before : undefined;
      const isLater = rules.slice(index + 1).some(({ key }) => named === `${owner}:${key}`);
      const isAfterLast = rules.slice(0, index).some(({ position: other }) => other === "last");
      const isPossible = named === undefined ? at !== "first" || !isAfterLast : isLater;
      return isPossible ? rule : { ...rule, position: undefined };
    }),
  );

const wireRule = fc.record({
  key: fc.option(fc.constantFrom(...keys, "gone"), { nil: undefined }),
  expression: fc.constantFrom("ssl", "not ssl"),
  enabled: fc.boolean(),
  action: fc.constantFrom("block", "log", "js_challenge"),
});

/** The rules of the phase at first; `undefined`: it has no entry point. */
const firstRules = fc.option(
  fc.array(wireRule, { maxLength: 8 }).map((rules) =>
    [...new Map(rules.map((rule, index) => [rule.key ?? index, rule])).values()].map(
      ({ key, ...rule }) => ({
        ...rule,
        // A rule that is equal to a declared one is taken over.
        ...(key === undefined ? { description: "Theirs" } : { ref: `${owner}:${key}` }),
      }),
    ),
  ),
  { nil: undefined, freq: 6 },
);

/** Somebody else who writes rules, without ours. Keeps the foreign rules as they must stay. */
class OtherWriter {
  readonly #service: Emulated;
  #count = 0;
  foreign: readonly JsonObject[] = [];

  constructor(service: Emulated) {
    this.#service = service;
  }

  async #call(method: string, path: string, body?: object): Promise<JsonObject> {
    return coerceObject(await this.#service.send(method, `/rulesets${path}`, body));
  }

  async rules(): Promise<{ readonly id: string; readonly rules: readonly JsonObject[] }> {
    const { id, rules } = await this.#call("GET", entryPoint);
    return { id: coerceText(id), rules: coerceObjects(rules) };
  }

  put(rules: readonly object[]): Promise<JsonObject> {
    return this.#call("PUT", entryPoint, { rules });
  }

  async look(): Promise<void> {
    this.foreign = foreignIn((await this.rules()).rules);
  }

  async step(step: OtherStep): Promise<void> {
    const { id, rules } = await this.rules();
    this.#count += 1;
    const added = { action: "log", expression: "ssl", description: `Theirs ${this.#count}` };
    const [method, path, body] = requestOf(step, id, rules, added);
    if (method !== "") await this.#call(method, path, body);
    await this.look();
  }
}

/** The request of a step; "" for none. */
function requestOf(
  { does, which, where }: OtherStep,
  ruleset: string,
  rules: readonly JsonObject[],
  added: JsonObject,
): readonly [method: string, path: string, body?: object] {
  const foreign = foreignIn(rules);
  const at = `/${ruleset}/rules`;
  const beside = nthOf(rules, where)?.["id"] ?? "";
  const chosen = nthOf(foreign, which);
  if (does === "nothing" || ruleset === "") return ["", ""];
  if (does === "add" || chosen === undefined) {
    return ["POST", at, { ...added, position: { before: beside } }];
  }
  const atChosen = `${at}/${coerceText(chosen["id"])}`;
  switch (does) {
    case "put": {
      const others = rules.filter((rule) => rule !== chosen).map(asSent);
      return ["PUT", entryPoint, { rules: others.toSpliced(where % rules.length, 0, added) }];
    }
    case "delete":
      return ["DELETE", atChosen];
    case "edit":
      return ["PATCH", atChosen, { ...asSent(chosen), ...added }];
    case "move":
      return ["PATCH", atChosen, { position: { after: beside } }];
  }
}

function nthOf<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}

const entryPoint = "/phases/http_request_firewall_custom/entrypoint";

function foreignIn(rules: readonly JsonObject[]): readonly JsonObject[] {
  return rules.filter(({ ref }) => !coerceText(ref).startsWith(`${owner}:`));
}

function asSent({ version: _version, last_updated: _at, ...rule }: JsonObject): JsonObject {
  return rule;
}

describe("another writer in the same phase", { timeout: 900_000 }, () => {
  it("loses nothing, and ours are as declared in the second round", async ({ expect }) => {
    const arbitrary = fc.record({
      rules: declaredRules,
      live: firstRules,
      others: fc.array(otherStep, { minLength: 12, maxLength: 12 }),
      isLost: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ rules, live: first, others, isLost }) => {
        await using service = await emulated({ plan: "enterprise" });
        const { signal } = new AbortController();
        const other = new OtherWriter(service);
        if (first !== undefined) await other.put(first);
        await other.look();
        const steps = [...others];
        const desired = {
          ...desiredZone({ rules: { custom_rules: declared(rules) } }),
          zone: service.zone,
        };
        const read = (): Promise<LiveZone> =>
          service.reader.readZone(service.zone, parts, "changed", signal);
        const posted: string[] = [];
        const writer: LiveWriter = {
          write: async (live, write, ...more) => {
            const step = steps.shift();
            if (step !== undefined) await other.step(step);
            if (isLost && write.call.startsWith("create")) {
              await service.fault({ fault: "lost_answer", method: "POST", count: 1 });
            }
            posted.push(...refsPostedBy(write));
            const written = await service.writer.write(live, write, ...more);
            expect(
              foreignIn(rulesIn(written.live.entrypoints.custom_rules).map(({ wire }) => wire)),
            ).toEqual(other.foreign);
            return written;
          },
        };
        const round = async (): Promise<void> => {
          const live = await read();
          const step = steps.shift();
          if (step !== undefined) await other.step(step);
          const { writes, waitsFor, changes, holds } = plan(desired, live, owner);
          expect(holds).toEqual([]);
          const clock = new SimulatedClock();
          const { reader } = service;
          const readAt = readAllAt(0);
          await appliedBy(writes, { live, changes, waitsFor, clock, reader, writer, readAt });
          const now = foreignIn((await other.rules()).rules);
          expect(now).toEqual(other.foreign);
        };
        await round();
        steps.length = 0;
        const madeFirst = [...posted];
        posted.length = 0;
        const refused = new Set(madeFirst);
        for (const { ref } of rulesIn((await read()).entrypoints.custom_rules)) refused.delete(ref);
        await round();
        expect(plan(desired, await read(), owner)).toMatchObject({ changes: [], writes: [] });
        expect(new Set(madeFirst).size).toBe(madeFirst.length);
        // What was posted again had not been made.
        expect(posted.filter((ref) => madeFirst.includes(ref) && !refused.has(ref))).toEqual([]);
      }),
      runs,
    );
  });
});

/** The refs of the rules that a write creates. */
function refsPostedBy(write: Write): readonly string[] {
  if (write.call === "create-rule") return [coerceText(write.body["ref"])];
  return write.call === "create-entrypoint" ? write.rules.map(({ ref }) => coerceText(ref)) : [];
}
