import { describe, it } from "vitest";

import {
  type AppliedZone,
  uncertain,
  uncertainResource,
} from "../../src/plan/cause/applied-zone.ts";
import { explainChanges } from "../../src/plan/cause/explain.ts";
import { byMarks } from "../../src/plan/ownership.ts";
import { plan } from "../../src/plan/plan.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import { causeText, found, inSync, known } from "../support/causes.ts";
import {
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  liveException,
  livePolicy,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";

const checkout = policy("checkout");

/** A digest has 18 bits: these two were searched for. */
const ofOneDigest = [
  policy("checkout", { value: "script-src a155.example" }),
  policy("checkout", { value: "script-src a216.example" }),
] as const;

describe("why a zone differs, by what was last applied", () => {
  const policies = declared([checkout]);
  const live = carriedOut("p1", checkout, { enabled: false });
  const enabled = [{ name: "enabled", value: true }] as const;

  it.for<{
    readonly when: string;
    readonly applied: AppliedZone | undefined;
    readonly content: Partial<ZoneContent>;
    readonly live: Partial<LiveZone>;
    readonly yields: readonly string[];
  }>([
    {
      when: "nothing is known",
      applied: undefined,
      content: { policies },
      live: { policies: [live] },
      yields: ["policy/checkout unknown(enabled)"],
    },
    {
      when: "the live value was changed",
      applied: inSync({ policies }),
      content: { policies },
      live: { policies: [live] },
      yields: ["policy/checkout drift(enabled)"],
    },
    {
      when: "the file was changed",
      applied: inSync({ policies: declared([{ ...checkout, enabled: false }]) }),
      content: { policies },
      live: { policies: [live] },
      yields: ["policy/checkout pending(enabled)"],
    },
    {
      when: "one field of a resource is not known",
      applied: known({ policies }, { "p/checkout": { n: "", enabled: uncertain } }),
      content: { policies },
      live: { policies: [{ ...live, action: "allow" }] },
      yields: ["policy/checkout drift(action) unknown(enabled)"],
    },
    {
      when: "of a resource nothing is known but that it was there",
      applied: new Map([["p/checkout", uncertainResource]]),
      content: { policies },
      live: { policies: [live] },
      yields: ["policy/checkout unknown(enabled)"],
    },
    {
      when: "two values have one digest, and one of them was applied",
      applied: inSync({ policies: declared([ofOneDigest[0]]) }),
      content: { policies: declared([ofOneDigest[1]]) },
      live: { policies: [carriedOut("p1", ofOneDigest[0])] },
      yields: ["policy/checkout drift(value)"],
    },
    {
      when: "a setting was switched",
      applied: inSync({ settings: enabled }),
      content: { settings: enabled },
      live: {
        settings: {
          enabled: false,
          use_cloudflare_reporting_endpoint: true,
          use_connection_url_path: false,
        },
      },
      yields: ["setting/enabled drift(value)"],
    },
    {
      when: "a policy is new in the files",
      applied: inSync({}),
      content: { policies },
      live: { policies: [] },
      yields: ["policy/checkout pending"],
    },
    {
      when: "a policy is new in the files beside one that is called undefined",
      applied: inSync({ policies: declared([policy("undefined")]) }),
      content: { policies: declared([policy("undefined"), checkout]) },
      live: { policies: [carriedOut("p1", policy("undefined"))] },
      yields: ["policy/checkout pending"],
    },
    {
      when: "somebody overrides what was not overridden",
      applied: inSync({ rules: { managed_rules: declared([deployment("owasp")]) } }),
      content: { rules: { managed_rules: declared([deployment("owasp")]) } },
      live: {
        entrypoints: {
          managed_rules: entrypoint(
            liveDeployment("r1", { ref: "zonewarden:owasp" }, { sensitivity_level: "low" }),
          ),
        },
      },
      yields: ["managed_rule/owasp drift(overrides.sensitivity_level)"],
    },
    {
      when: "somebody changed what is renamed in the files",
      applied: inSync({
        policies: declared([checkout]),
        rules: { managed_rules: declared([exception("uploads")]) },
      }),
      content: {
        policies: declared([{ ...checkout, key: "basket", was: "checkout" }]),
        rules: {
          managed_rules: declared([{ ...exception("uploads"), key: "files", was: "uploads" }]),
        },
      },
      live: {
        policies: [live],
        entrypoints: {
          managed_rules: entrypoint(
            liveException("r1", "uploads", { ref: "zonewarden:uploads", enabled: false }),
          ),
        },
      },
      yields: ["policy/basket drift(enabled) pending(key)", "managed_rule/files drift(enabled)"],
    },
    {
      when: "a policy with our mark was made by somebody",
      applied: inSync({}),
      content: { policies: declared([]) },
      live: { policies: [live] },
      yields: ["policy/checkout drift"],
    },
    {
      when: "a policy with our mark may be what a lost answer left",
      applied: new Map([["p/other", new Map([["enabled", uncertain]])]]),
      content: { policies: declared([]) },
      live: { policies: [live] },
      yields: ["policy/checkout unknown"],
    },
    {
      when: "only of rules something is unknown",
      applied: new Map([["r/other", new Map([["enabled", uncertain]])]]),
      content: { policies: declared([]) },
      live: { policies: [live] },
      yields: ["policy/checkout drift"],
    },
    {
      when: "only whether unmanaged ones are deleted is unknown",
      applied: new Map([["p/*", new Map([["unmanaged", uncertain]])]]),
      content: { policies: declared([]) },
      live: { policies: [live] },
      yields: ["policy/checkout drift"],
    },
  ])("where $when", ({ applied, content, live: liveParts, yields }, { expect }) => {
    expect(found(applied, content, liveParts)).toEqual(yields);
  });

  it("where only ownership is taken, which is not stored", ({ expect }) => {
    const unmarked = {
      policies: [carriedOut("p1", checkout, { description: checkout.description })],
    };
    const adopting = { ...byMarks, adopt: true };
    const proposal = plan(desiredZone({ policies }), liveZone(unmarked), owner, adopting);
    const { content } = desiredZone({ policies });
    expect(explainChanges(proposal, content, inSync({ policies })).map(causeText)).toEqual([
      "policy/checkout unknown(owner)",
    ]);
  });

  it("where a policy of somebody is to be deleted", ({ expect }) => {
    const deleting = { policies: declared([], "delete") };
    const reporting = { policies: declared([], "report") };
    const byHand = { policies: [livePolicy("p2")] };
    const causesBy = (applied: AppliedZone): readonly string[] => found(applied, deleting, byHand);
    expect(causesBy(inSync(deleting))).toEqual(["policy/p2 drift"]);
    expect(causesBy(inSync(reporting))).toEqual(["policy/p2 pending"]);
    expect(causesBy(new Map([["p/*", new Map([["unmanaged", uncertain]])]]))).toEqual([
      "policy/p2 unknown",
    ]);
    // That of rules is another.
    expect(causesBy(inSync({ rules: { managed_rules: declared([], "delete") } }))).toEqual([
      "policy/p2 pending",
    ]);
  });
});
