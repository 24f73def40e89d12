import { describe, it } from "vitest";

import { budgetOf } from "../support/budget.ts";
import { SimulatedClock } from "../support/clock.ts";
import { documentText } from "../support/code-blocks.ts";
import { goodSeed } from "../support/emulator.ts";
import { exampleWithEmulator } from "../support/example.ts";
import { eventually } from "../support/processes.ts";
import { feedsOf, figure, perSecond, shareOfBudget, sweepOf } from "../support/quota.ts";
import { stop } from "../support/running.ts";

const windowSeconds = 300;

/** Sends the requests of a sweep, each answered at once; gives the seconds at which they went. */
async function sent(requests: number): Promise<readonly number[]> {
  const clock = new SimulatedClock();
  const budget = budgetOf(clock, { maxWaitMs: 1e9 });
  const moments: number[] = [];
  let left = requests;
  const workers = Array.from({ length: 8 }, async () => {
    while (left > 0) {
      left -= 1;
      const permit = await budget.acquire("sweep", new AbortController().signal);
      moments.push(clock.monotonicMs() / 1_000);
      permit.end("answered", undefined);
    }
  });
  while (moments.length < requests) await clock.advance(windowSeconds * 1_000);
  await Promise.all(workers);
  return moments;
}

/** A document without its line breaks. */
function inOneLine(file: string): string {
  return documentText(file).replaceAll("\n", " ");
}

/** The worked example of docs/quota.md, as it is computed. */
function workedExample(): Readonly<Record<string, string>> {
  const { requests, seconds } = sweepOf(5_000);
  const [audit, inventory] = feedsOf(5_000);
  const everyTwoHours = requests * 12;
  const feeds = (audit?.perDay ?? 0) + (inventory?.perDay ?? 0);
  return {
    "a window": `at most ${figure(perSecond * windowSeconds)} requests in five minutes`,
    "a second": `${perSecond} a second, ${figure(perSecond * 3_600)} an hour`,
    "a sweep": `A sweep costs ${figure(requests)} requests`,
    "its time": `At ${perSecond} requests a second this takes ${Math.round(seconds / 60)} minutes.`,
    "sweeps every two hours": `use ${shareOfBudget(everyTwoHours, 86_400)} of the budget`,
    "the audit log": `${shareOfBudget(audit?.perDay ?? 0, 86_400)} of the budget`,
    inventories: `${figure(inventory?.perDay ?? 0)} requests, ${shareOfBudget(inventory?.perDay ?? 0, 86_400)} of the budget`,
    all: `This is ${shareOfBudget(everyTwoHours + feeds, 86_400)} in all`,
    "each half": `Each half then takes ${Math.round(sweepOf(2_500).seconds / 60)} minutes`,
  };
}

describe("docs/quota.md", () => {
  it.for(Object.entries(workedExample()))(
    "computes %s as the program does",
    ([, text], { expect }) => {
      expect(inOneLine("docs/quota.md")).toContain(text);
    },
  );

  it("says how many requests of a sweep do not wait", async ({ expect }) => {
    const atOnce = (await sent(940)).filter((moment) => moment === 0).length;
    expect(atOnce).toBeGreaterThanOrEqual(460);
    expect(atOnce).toBeLessThan(480);
    expect(inOneLine("docs/quota.md")).toContain(
      "first 460 requests or so of a sweep are sent at once",
    );
  });

  it.for([400, 1_000, 5_000])(
    "gives the time that a budget lets a sweep of %i zones take, within one window",
    async (zones, { expect }) => {
      const { requests, seconds } = sweepOf(zones);
      const last = Math.max(...(await sent(requests)));
      expect(Math.abs(last - seconds)).toBeLessThan(windowSeconds);
    },
  );

  it("counts the requests of a sweep and of a round of the inventory", async ({ expect }) => {
    const seed = goodSeed(`
tokens: [{ name: all, value: emulator-token, permissions: all }]
zones: [{ name: shop.example.com }]
`);
    await using example = await exampleWithEmulator({
      seed,
      config: 'schedule: { cron: "0 0 1 * *" }\ninventory: { enabled: true }',
    });
    await example.place.remove("zones");
    await example.place.write(
      "zones/shop.yaml",
      `zones:
  - name: shop.example.com
    page_shield: { settings: { enabled: false }, policies: { items: [] } }
    managed_rules: { rules: [] }
`,
    );
    const daemon = example.place.start("run");
    const paths = (): readonly string[] => example.emulator.journal().map((each) => each.path);
    await eventually("the inventory is read", () =>
      paths().some((each) => each.includes("/page_shield/cookies")) ? true : undefined,
    );
    await stop(daemon);
    const ofZone = paths().filter((each) => /page_shield|rulesets/.test(each));
    const kinds = ofZone.filter((each) => /scripts|connections|cookies/.test(each));
    // The sweep reads three kinds of resources, and the round of the inventory reads them again.
    expect(ofZone.length - kinds.length).toBe(6);
    expect(kinds).toHaveLength(3);
    const others = paths().filter((each) => !ofZone.includes(each));
    expect(others.filter((each) => each.includes("/zones?"))).toHaveLength(1);
  });
});
