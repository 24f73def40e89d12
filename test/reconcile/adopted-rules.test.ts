import { describe, it } from "vitest";

import type { AdoptedRule } from "../../src/plan/ownership.ts";
import { plan } from "../../src/plan/plan.ts";
import { adoptedAfter } from "../../src/reconcile/run/adopted-rules.ts";
import type { Outcome, ZoneReport } from "../../src/state/run-report.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { Write } from "../../src/zone/write.ts";
import {
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

const at = new Date("2026-11-21T10:00:00.000Z");
const owasp = deployment("owasp");
const uploads = exception("uploads");
const theirs = [
  liveDeployment("r1", { ref: "by-terraform" }),
  liveException("r2", "uploads", { ref: "by-hand" }),
];
const adoptedOwasp: AdoptedRule = {
  kind: "managed_rule",
  id: "r1",
  ref: "by-terraform",
  key: "owasp",
};
const adoptedUploads: AdoptedRule = {
  kind: "managed_rule",
  id: "r2",
  ref: "by-hand",
  key: "uploads",
};
const stale: AdoptedRule = { kind: "managed_rule", id: "gone", ref: "gone", key: "gone" };

const staleCustom: AdoptedRule = { ...stale, kind: "custom_rule" };

interface Run {
  readonly when: string;
  readonly content?: Partial<ZoneContent>;
  readonly mode?: "enforce" | "observe";
  readonly adopt?: boolean;
  readonly before?: readonly AdoptedRule[];
  /** How the run ended; a planned one was applied with this outcome of its writes. */
  readonly ends?: "as planned" | "held" | "error" | "not written";
  readonly yields: readonly AdoptedRule[];
}

/** Both rules as declared, and the OWASP rule with another threshold than the live one. */
const inSync = { rules: { managed_rules: declared([owasp, uploads]) } };
const tuned = {
  rules: {
    managed_rules: declared([
      deployment("owasp", { tuning: { ...owasp.tuning, scoreThreshold: 25 } }),
      uploads,
    ]),
  },
};

describe("the adopted rules after a run", () => {
  it.for<Run>([
    { when: "everything is to be adopted", adopt: true, yields: [adoptedOwasp, adoptedUploads] },
    {
      when: "a policy is adopted too, whose mark says so",
      adopt: true,
      content: { ...inSync, policies: declared([policy("site")]) },
      yields: [adoptedOwasp, adoptedUploads],
    },
    { when: "nothing is to be adopted", yields: [] },
    { when: "the mode is observe", adopt: true, mode: "observe", yields: [] },
    { when: "the zone observes", adopt: true, content: { ...inSync, mode: "observe" }, yields: [] },
    {
      when: "the zone is suspended",
      adopt: true,
      content: { ...inSync, suspension: { reason: "", until: undefined } },
      yields: [],
    },
    {
      when: "a suspension has ended",
      adopt: true,
      content: { ...inSync, suspension: { reason: "", until: at } },
      yields: [adoptedOwasp, adoptedUploads],
    },
    {
      when: "it failed",
      adopt: true,
      before: [adoptedOwasp],
      ends: "error",
      yields: [adoptedOwasp],
    },
    { when: "its plan was held", adopt: true, content: tuned, ends: "held", yields: [] },
    { when: "its write failed", adopt: true, content: tuned, ends: "not written", yields: [] },
    { when: "it changed one of them", content: tuned, yields: [adoptedOwasp] },
    {
      when: "it changed one, and all are to be adopted",
      adopt: true,
      content: tuned,
      yields: [adoptedOwasp, adoptedUploads],
    },
    { when: "a remembered one is gone", before: [adoptedOwasp, stale], yields: [adoptedOwasp] },
    {
      when: "a remembered one has another key in the files",
      before: [{ ...adoptedOwasp, key: "core" }],
      yields: [adoptedOwasp],
    },
    {
      when: "one list is declared: those of the other lists stay as they were",
      adopt: true,
      before: [stale, staleCustom],
      yields: [staleCustom, adoptedOwasp, adoptedUploads],
    },
    {
      when: "the files no longer declare rules",
      content: { rules: {} },
      before: [stale],
      yields: [stale],
    },
  ])("where $when", (run, { expect }) => {
    const { content = inSync, mode = "enforce", adopt = false, before = [], yields } = run;
    const desired = desiredZone(content);
    const ownership = { adopt, rules: before };
    expect(adoptedAfter(reportOf(run), desired, mode, ownership)).toEqual(yields);
  });

  it("are the same value where nothing changed: then nothing is stored", ({ expect }) => {
    const ownership = { adopt: false, rules: [adoptedOwasp] };
    const run = { when: "", before: ownership.rules, yields: [] };
    const desired = desiredZone(inSync);
    expect(adoptedAfter(reportOf(run), desired, "enforce", ownership)).toBe(ownership.rules);
  });
});

function reportOf({
  content = inSync,
  adopt = false,
  before = [],
  ends = "as planned",
}: Run): ZoneReport {
  const desired = desiredZone(content);
  const policies = [livePolicy("p1", { ...policy("site") })];
  const live = liveZone({ entrypoints: { managed_rules: entrypoint(...theirs) }, policies });
  const planned = plan(desired, live, owner, { adopt, rules: before });
  const base = {
    zone: desired.zone.name,
    run: "run-1",
    trigger: "schedule",
    revision: "",
    startedAt: at,
    finishedAt: at,
    phases: { fetch: 0, plan: 0, apply: 0 },
  } as const;
  const failure = { code: "API_REFUSED", message: "", transient: false, ray: "", retryAfterMs: 0 };
  if (ends === "error") return { ...base, result: "error", failure };
  if (planned.changes.length === 0) return { ...base, result: "in_sync", plan: planned };
  if (ends === "held") return { ...base, result: "held", plan: planned, holds: [] };
  const outcomeOf = (write: Write): Outcome =>
    ends === "not written"
      ? { status: "failed", write, failure }
      : { status: "done", write, ray: "", interleaved: false };
  const left = ends === "not written" ? planned.changes : [];
  return {
    ...base,
    result: "applied",
    plan: planned,
    outcomes: planned.writes.map(outcomeOf),
    left,
  };
}
