import * as fc from "fast-check";
import { describe, it } from "vitest";

import { dialects } from "../../src/emulator/http/api-endpoint.ts";
import { plan } from "../../src/plan/plan.ts";
import { confirmSaved } from "../../src/plan/saved/confirm.ts";
import { savedPlan } from "../../src/plan/saved/saved-plan.ts";
import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { type LiveZone, rulesIn } from "../../src/zone/live-zone.ts";
import { pairs } from "../support/arbitrary-zones.ts";
import { type Emulated, emulated } from "../support/emulated.ts";
import { foreignPolicies, foreignRules, rulesOf } from "../support/foreign.ts";
import { owner } from "../support/model.ts";
import { cases } from "../support/properties.ts";
import { weakMoments } from "../support/protection.ts";

/** The laws of `laws.test.ts` once more, through the real client, a socket and the emulator. */
const runs = cases(30);

/** What the service would accept of a generated live zone, as a seed. */
function seedOf({ settings, policies, entrypoints }: LiveZone): Parameters<typeof emulated>[0] {
  const rules =
    entrypoints.managed_rules?.state === "present" ? rulesIn(entrypoints.managed_rules) : undefined;
  return {
    plan: "enterprise",
    entitlements: { policies: 100, connection_url_path: true, reporting_endpoint: true },
    settings: { ...settings },
    policies: (policies ?? []).map(({ description, action, expression, enabled, value }) => ({
      description,
      action: ["log", "allow"].includes(action) ? action : "log",
      expression,
      enabled,
      value,
    })),
    ...(rules && { entrypoint: rules.map(({ wire }) => acceptable(wire)) }),
  };
}

/** A rule without the fields and actions of a future that the service does not know yet. */
function acceptable(wire: JsonObject): JsonObject {
  const { id: _id, version: _version, last_updated: _at, future: _future, ...rule } = wire;
  if (rule["action"] === "execute") {
    const known: unknown = JSON.parse(JSON.stringify(rule), (name, value: unknown) =>
      name === "future" ? undefined : value,
    );
    return isJsonObject(known) ? known : {};
  }
  if (rule["action"] === "skip") return rule;
  const { action_parameters: _parameters, ...bare } = rule;
  return { ...bare, action: "log" };
}

function writesIn(service: Emulated): number {
  return service.journal().filter((line) => !line.startsWith("GET")).length;
}

describe("laws of planning, over sockets", { timeout: 900_000 }, () => {
  it("hold for what the service makes of each write", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(pairs, fc.constantFrom(...dialects), async (pair, dialect) => {
        await using service = await emulated(seedOf(pair.live), { dialect });
        const signal = new AbortController().signal;
        const before = await service.look(signal);
        const desired = { zone: service.zone, content: pair.desired.content };
        const proposal = plan(desired, before, owner);
        fc.pre(proposal.holds.length === 0);
        service.journal();

        const states = [before];
        for (const write of proposal.writes) {
          const live = states.at(-1) ?? before;
          states.push((await service.writer.write(live, write, signal, signal)).live);
        }
        const after = await service.look(signal);
        expect(writesIn(service)).toBe(proposal.writes.length);
        expect(proposal.writes.length).toBeLessThanOrEqual(proposal.changes.length);
        expect(plan(desired, after, owner)).toMatchObject({ changes: [], writes: [] });
        expect(states.at(-1)).toEqual(after);
        expect(weakMoments(states)).toEqual([]);

        const looked = { desired, live: before };
        const kept = new Set(
          [...foreignPolicies(looked), ...foreignRules(looked)].map(({ id }) => id),
        );
        expect((after.policies ?? []).filter(({ id }) => kept.has(id))).toEqual(
          foreignPolicies(looked),
        );
        expect(rulesOf(after).filter(({ id }) => kept.has(id))).toEqual(foreignRules(looked));

        const done = confirmSaved(savedPlan(proposal, before), plan(desired, after, owner), after);
        expect(done).toMatchObject({ conflicts: [], plan: { writes: [] } });
      }),
      runs,
    );
  });
});
