import { describe, it } from "vitest";

import { applyPlan } from "../../src/reconcile/run/apply.ts";
import { maxReadAgeMs, WriteGate } from "../../src/reconcile/run/write-gate.ts";
import { Bugs } from "../support/bugs.ts";
import { SimulatedClock } from "../support/clock.ts";
import { everything } from "../support/emulated.ts";
import { report } from "../support/reports.ts";
import { shop, writes } from "../support/writes.ts";

const getEntrypoint = expectedPath("GET");
const putEntrypoint = expectedPath("PUT");

function expectedPath(method: string): string {
  return `${method} /zones/…/rulesets/phases/http_request_firewall_managed/entrypoint`;
}

describe("a PUT of the entry point that was read before a Retry-After of 80 s", () => {
  it.for([
    { when: "in a usual run", expiries: 0, edited: false, came: "read_expired", requests: [] },
    {
      when: "where reads may be older",
      expiries: 1,
      edited: false,
      came: "done",
      requests: [getEntrypoint, putEntrypoint],
    },
    {
      when: "where reads may be older and somebody changed a rule",
      expiries: 1,
      edited: true,
      came: "read_expired",
      requests: [getEntrypoint],
    },
  ])("$when: $came", async ({ expiries, edited, came, requests }, { expect, signal }) => {
    const clock = new SimulatedClock();
    await using at = await shop({ clock, timeoutMs: 1e9 });
    const isIdle = (): boolean => at.session.credential.state.inFlight === 0;
    const path = "/accounts/*";
    await at.fault({ fault: "status", status: 429, retry_after: 80, path, count: 1 });
    const answers = await clock.run(
      at.reader.readAnswers(at.zone, everything, "changed", signal),
      isIdle,
    );
    if (edited) await at.edit({ rule: "OWASP", set: { paranoia_level: 1 } });
    at.journal();

    const live = answers.live();
    const base = report(at.zone.name, 0, { result: "planned", cause: "pending", changes: [] });
    if (base.result !== "planned") throw new Error("not planned");
    const planned = {
      report: { ...base, plan: { ...base.plan, writes: [writes["put-entrypoint"](live)] } },
      live,
      digest: answers.digest,
      readAt: answers.readAt,
      conflicts: [],
      holdsAt: () => [],
      remainingIn: () => [],
    };
    const bugs = new Bugs();
    using gate = new WriteGate(clock, maxReadAgeMs(expiries));
    const { reader, writer } = at;
    const ports = { reader, writer, clock, bug: (error: unknown) => bugs.tell(error) };
    const applied = await clock.run(
      applyPlan(planned, gate, ports, { stop: signal, abort: signal }),
      isIdle,
    );
    bugs.expectNone();
    expect(applied).toMatchObject({
      outcomes: [came === "done" ? { status: "done" } : { status: "skipped", reason: came }],
    });
    expect(at.journal()).toEqual(requests);
  });
});
