import { describe, it } from "vitest";

import { planZone } from "../../src/reconcile/run/plan-zone.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import type { ServiceErrorCode } from "../../src/zone/service-error.ts";
import {
  carriedOut,
  entrypoint,
  liveDeployment,
  liveZone,
  policy,
  settingsOff,
} from "../support/model.ts";
import { ServiceFault } from "../support/world.ts";
import {
  blocking,
  empty,
  enabled,
  failsWith,
  keysOf,
  lib,
  logged,
  planIn,
  portsOf,
  requestOf,
  tunedRules,
} from "../support/zone-planning.ts";

describe("the scripts on record are not read", () => {
  const site = policy("site", { action: "allow" });
  const live = carriedOut("p1", { ...site, description: "Other words" });

  it.for<{ where: string; content: Partial<ZoneContent>; policies: readonly LivePolicy[] }>([
    { where: "no policy is declared", content: enabled, policies: [] },
    { where: "a new policy only logs", content: { ...enabled, ...logged }, policies: [] },
    { where: "a policy blocks as before", content: { ...enabled, ...blocking }, policies: [live] },
  ])("where $where", async ({ content, policies }, { expect, signal }) => {
    const scripts = failsWith(new Error("read"));
    const ports = portsOf({ ...empty, policies }, { scripts });
    const { report } = await planZone(requestOf(content), ports, signal);
    expect(keysOf(planIn(report))).toContain("setting/enabled");
  });
});

describe("what the plan of the rules holds and notes", () => {
  const taken = liveZone({
    settings: settingsOff,
    policies: [],
    entrypoints: { managed_rules: entrypoint(liveDeployment("t9", { ref: "team-b:owasp" })) },
    scoreRule: { id: documentedScoreRuleId, source: "documented", version: "" },
  });
  const content = { ...blocking, ...tunedRules };

  it("is kept beside the holds of a policy that begins to block", async ({ expect, signal }) => {
    const ports = portsOf(taken, { scripts: () => [lib] });
    const { report } = await planZone(requestOf(content), ports, signal);
    const reasons = planIn(report).holds.map(({ reason }) => reason);
    expect(reasons).toEqual(["already_deployed", "blocks_in_use"]);
  });

  it("is kept beside the note that scripts cannot be read", async ({ expect, signal }) => {
    const scripts = failsWith(new ServiceFault("API_FORBIDDEN", false));
    const { report } = await planZone(requestOf(content), portsOf(taken, { scripts }), signal);
    expect(planIn(report).notes).toEqual([
      expect.stringContaining("taken by its documented id"),
      expect.stringContaining("whether the policies block scripts in use was not checked"),
    ]);
  });
});

describe("a policy that begins to block, where the scripts on record", () => {
  it.for<{ before: string; policies: readonly LivePolicy[] }>([
    { before: "was not there", policies: [] },
    { before: "only logged", policies: [carriedOut("p1", policy("site"))] },
  ])("would be blocked, is held where it $before", async ({ policies }, { expect, signal }) => {
    const ports = portsOf({ ...empty, policies }, { scripts: () => [lib] });
    const { report } = await planZone(requestOf(blocking), ports, signal);
    expect(report).toMatchObject({ result: "held", holds: [{ reason: "blocks_in_use" }] });
  });

  it("would be blocked and were last seen long ago, is not held", async ({ expect, signal }) => {
    const old = { ...lib, lastSeenAt: new Date("2026-11-20T10:59:00Z") };
    const ports = portsOf(empty, { scripts: () => [old] });
    const { report } = await planZone(requestOf(blocking), ports, signal);
    expect(report.result).toBe("planned");
  });

  it.for<{ code: ServiceErrorCode }>([{ code: "API_FORBIDDEN" }, { code: "API_REFUSED" }])(
    "cannot be read with this token or contract ($code), is planned with a note",
    async ({ code }, { expect, signal }) => {
      const scripts = failsWith(new ServiceFault(code, false));
      const { report } = await planZone(requestOf(blocking), portsOf(empty, { scripts }), signal);
      expect([report.result, planIn(report).notes]).toEqual([
        "planned",
        [
          `the scripts on record could not be read (${code}): whether the policies block scripts in use was not checked`,
        ],
      ]);
    },
  );

  it("cannot be read for now, is not planned", async ({ expect, signal }) => {
    const fault = new ServiceFault("API_SERVER", true);
    const ports = portsOf(empty, { scripts: failsWith(fault) });
    const planned = await planZone(requestOf(blocking), ports, signal);
    expect(planned.report).toMatchObject({ result: "error", failure: { code: "API_SERVER" } });
    expect(planned.live).toBeUndefined();
  });

  it("cannot be read because of an internal error, is not planned", async ({ expect, signal }) => {
    const bugs: unknown[] = [];
    const mistake = new TypeError("a bug of ours");
    const ports = {
      ...portsOf(empty, { scripts: failsWith(mistake) }),
      bug: (error: unknown, zone: string) => bugs.push(error, zone),
    };
    const { report } = await planZone(requestOf(blocking), ports, signal);
    expect(report).toMatchObject({ result: "error", failure: { code: "INTERNAL" } });
    expect(bugs).toEqual([mistake, "shop.example.com"]);
  });
});
