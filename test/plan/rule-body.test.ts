import { describe, it } from "vitest";

import type { LiveEntrypoint } from "../../src/zone/live-zone.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import type { Rule } from "../../src/zone/resource.ts";
import type { Write } from "../../src/zone/write.ts";
import {
  absent,
  declared,
  deployment,
  entrypoint,
  exception,
  liveDeployment,
  liveRule,
} from "../support/model.ts";
import { liveUploads, owasp, plannedRules, uploads } from "../support/planned.ts";

function written(rules: readonly Rule[], live: LiveEntrypoint): readonly Write[] {
  return plannedRules(declared(rules), live).writes;
}

describe("the body of a rule", () => {
  it("sends foreign rules back byte for byte, without what only the service writes", ({
    expect,
  }) => {
    const strange = liveRule("f1", {
      action: "teleport",
      action_parameters: { to: ["mars"], ünïcode: null },
      categories: ["a"],
      last_updated: "2026-11-01T00:00:00.000000Z",
      exposed_credential_check: { username_expression: "u", password_expression: "p" },
      future: { deep: [{ nested: 1 }] },
    });
    const also = liveRule("f2", { action: "log", ref: "zonewarden:gone" });
    const deleting = declared([uploads, owasp], "delete");
    const byTeam = { ...strange, ref: "team-b:x" };
    const { writes } = plannedRules(
      deleting,
      entrypoint(byTeam, also, liveRule("f3", { action: "log" })),
    );
    expect(writes).toMatchObject([{ call: "put-entrypoint" }]);
    const rules = writes.flatMap((write) => (write.call === "put-entrypoint" ? write.rules : []));
    expect(rules.find(({ id }) => id === "f1")).toEqual({
      id: "f1",
      ref: "f1",
      enabled: true,
      expression: "true",
      action: "teleport",
      action_parameters: { to: ["mars"], ünïcode: null },
      exposed_credential_check: { username_expression: "u", password_expression: "p" },
      future: { deep: [{ nested: 1 }] },
    });
  });

  it("repeats in a PATCH all that the rule carries, also what it does not understand", ({
    expect,
  }) => {
    const live = liveRule("r1", {
      ref: "zonewarden:owasp",
      action: "execute",
      enabled: false,
      future: 1,
      action_parameters: {
        id: owaspRulesetId,
        version: "latest",
        matched_data: { public_key: "k" },
        overrides: { future: true, enabled: true },
      },
    });
    const given = deployment("owasp", { tuning: { ...owasp.tuning, paranoiaLevel: 2 } });
    expect(written([given], entrypoint(live))).toEqual([
      {
        call: "update-rule",
        phase: "managed_rules",
        ruleset: "ep",
        id: "r1",
        position: null,
        changes: ["managed_rule/owasp"],
        body: {
          id: "r1",
          ref: "zonewarden:owasp",
          action: "execute",
          description: "",
          enabled: true,
          expression: "true",
          future: 1,
          action_parameters: {
            id: owaspRulesetId,
            version: "latest",
            matched_data: { public_key: "k" },
            overrides: {
              future: true,
              categories: [
                { category: "paranoia-level-1", enabled: true },
                { category: "paranoia-level-2", enabled: true },
                { category: "paranoia-level-3", enabled: false },
                { category: "paranoia-level-4", enabled: false },
              ],
            },
          },
        },
      },
    ]);
  });

  it("keeps the ref of an adopted rule in a PATCH and in a PUT: another ref makes another rule", ({
    expect,
  }) => {
    const byHand = liveDeployment("r1", { ref: "made by hand", enabled: false });
    expect(written([owasp], entrypoint(byHand))).toMatchObject([
      {
        call: "update-rule",
        phase: "managed_rules",
        id: "r1",
        body: { id: "r1", ref: "made by hand", enabled: true },
      },
    ]);
    const beforeBoth = [exception("a"), exception("b"), owasp];
    const deleting = declared(beforeBoth, "delete");
    const { writes } = plannedRules(
      deleting,
      entrypoint(liveRule("f1", { action: "log" }), byHand),
    );
    expect(writes).toMatchObject([
      {
        call: "put-entrypoint",
        phase: "managed_rules",
        rules: [
          { ref: "zonewarden:a" },
          { ref: "zonewarden:b" },
          { id: "r1", ref: "made by hand", enabled: true },
        ],
      },
    ]);
  });

  it("drops the parameters of an action that the rule no longer has", ({ expect }) => {
    const live = liveRule("r2", {
      ref: "zonewarden:uploads",
      action: "block",
      action_parameters: { response: { status_code: 403 } },
      expression: uploads.expression,
    });
    const writes = written([uploads], entrypoint(live));
    expect(writes).toMatchObject([{ body: { action: "skip", logging: { enabled: true } } }]);
    expect(writes[0]).toHaveProperty("body.action_parameters", { ruleset: "current" });
    const back = written(
      [deployment("uploads", { expression: uploads.expression })],
      entrypoint(liveUploads),
    );
    expect(back[0]).not.toHaveProperty("body.logging");
  });

  it("sends a skip rule with all that it skips", ({ expect }) => {
    const given = exception("beta", {
      logging: false,
      skip: {
        ruleset: false,
        phase: true,
        rulesets: ["a", "b"],
        rules: { a: ["1"] },
        phases: ["http_ratelimit"],
        products: ["waf"],
      },
    });
    const [write] = written([given], absent);
    expect(write).toMatchObject({
      rules: [{ ref: "zonewarden:beta", logging: { enabled: false } }],
    });
    expect(write).toHaveProperty(["rules", 0, "action_parameters"], {
      phase: "current",
      rulesets: ["a", "b"],
      rules: { a: ["1"] },
      phases: ["http_ratelimit"],
      products: ["waf"],
    });
  });
});
