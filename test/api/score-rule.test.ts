import { describe, it } from "vitest";

import { ScoreRules } from "../../src/api/read/score-rule.ts";
import type { Call } from "../../src/api/request/call.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { SimulatedClock } from "../support/clock.ts";
import { fakeGet, type FakeGet } from "../support/get.ts";
import { zone } from "../support/service.ts";

const ruleset = { version: "87", rules: [{ id: "first" }, { id: "last", score_threshold: 40 }] };
const forbidden = new ServiceError("API_FORBIDDEN", "no", { status: 403 });

function isAccountPath({ route }: Call): boolean {
  return route.startsWith("/accounts/");
}

/** A service that gives the ruleset, or an error, on the account path and on the zone path. */
function service(account: unknown, inZone: unknown = account): FakeGet {
  return fakeGet((call) => {
    const result = isAccountPath(call) ? account : inZone;
    if (result instanceof Error) throw result;
    return { result };
  });
}

describe("the score rule", () => {
  it.for([
    { when: "the account may be read", account: ruleset, inZone: forbidden, from: "account" },
    { when: "only the zone may be read", account: forbidden, inZone: ruleset, from: "zone" },
    { when: "the account shows no rules", account: { rules: [] }, inZone: ruleset, from: "zone" },
    { when: "the account answers nothing", account: null, inZone: ruleset, from: "zone" },
    { when: "the account answers nonsense", account: [], inZone: ruleset, from: "zone" },
  ])("is the last of the ruleset when $when", async (row, { expect, signal }) => {
    const rules = new ScoreRules(new SimulatedClock());
    const { send } = service(row.account, row.inZone);
    expect(await rules.read(send, zone(), signal)).toEqual({
      id: "last",
      source: row.from,
      version: "87",
    });
  });

  it("is read from the zone alone where its account is not known", async ({ expect, signal }) => {
    const { send, calls } = service(ruleset);
    const withoutAccount = { ...zone(), accountId: "" };
    const rule = await new ScoreRules(new SimulatedClock()).read(send, withoutAccount, signal);
    expect(rule).toMatchObject({ id: "last", source: "zone" });
    expect(calls.map(isAccountPath)).toEqual([false]);
  });

  it("is the documented one where nothing may be read", async ({ expect, signal }) => {
    const { send, calls } = service(forbidden);
    const rule = await new ScoreRules(new SimulatedClock()).read(send, zone(), signal);
    expect(rule).toEqual({ id: documentedScoreRuleId, source: "documented", version: "" });
    expect(calls).toHaveLength(2);
  });

  it("is not guessed because the service fails for a moment", async ({ expect, signal }) => {
    const failure = new ServiceError("API_SERVER", "down", { status: 503, transient: true });
    let isDown = true;
    const { send } = fakeGet(() => {
      if (isDown) throw failure;
      return { result: ruleset };
    });
    const rules = new ScoreRules(new SimulatedClock());
    await expect(rules.read(send, zone(), signal)).rejects.toBe(failure);
    isDown = false;
    expect(await rules.read(send, zone(), signal)).toMatchObject({ id: "last" });
  });

  it("costs one request an hour and account, however many zones ask at once", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    await clock.advance(7_000_000);
    const rules = new ScoreRules(clock);
    const { send, calls } = service(ruleset);
    const ask = (accountId: string) => rules.read(send, zone("a.example", { accountId }), signal);
    await Promise.all(["acc1", "acc1", "acc2", "acc1"].map(ask));
    expect(calls).toHaveLength(2);
    await clock.advance(3_599_999);
    await ask("acc1");
    expect(calls).toHaveLength(2);
    await clock.advance(1);
    await ask("acc1");
    expect(calls).toHaveLength(3);
  });

  it("is not given to who has given up, although it is known", async ({ expect, signal }) => {
    const rules = new ScoreRules(new SimulatedClock());
    const { send } = service(ruleset);
    await rules.read(send, zone(), signal);
    const reading = rules.read(send, zone(), AbortSignal.abort(new Error("shutdown")));
    await expect(reading).rejects.toMatchObject({ message: "shutdown" });
  });

  it("is read by the next when the one who began has given up", async ({ expect, signal }) => {
    const rules = new ScoreRules(new SimulatedClock());
    const controller = new AbortController();
    const gate = Promise.withResolvers<void>();
    const { send } = service(ruleset);
    const slow: typeof send = async (call, own) => {
      await gate.promise;
      return send(call, own);
    };
    const first = rules.read(slow, zone(), controller.signal);
    const second = rules.read(send, zone(), signal);
    controller.abort(new Error("shutdown"));
    gate.resolve();
    await expect(first).rejects.toMatchObject({ message: "shutdown" });
    expect(await second).toMatchObject({ id: "last" });
  });
});
