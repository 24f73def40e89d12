import { describe, it } from "vitest";

import { appliedBy } from "../support/applied-writes.ts";
import { SimulatedClock } from "../support/clock.ts";
import { everything } from "../support/emulated.ts";
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
    const { reader, writer } = at;
    const { readAt } = answers;
    const signals = { stop: signal, abort: signal };
    const applied = await clock.run(
      appliedBy([writes["put-entrypoint"](live)], {
        live,
        readAt,
        clock,
        expiries,
        reader,
        writer,
        signals,
      }),
      isIdle,
    );
    expect(applied).toMatchObject({
      outcomes: [came === "done" ? { status: "done" } : { status: "skipped", reason: came }],
    });
    expect(at.journal()).toEqual(requests);
  });
});
