import { RateLimiter } from "../../src/api/budget/rate-limiter.ts";
import { sweepRequests } from "../../src/daemon/sweep-schedule.ts";
import { partsOf } from "../../src/reconcile/run/plan-zone.ts";
import { durationText } from "../../src/render/format.ts";
import { configFrom } from "./config-from.ts";
import { declared, desiredZone } from "./model.ts";

const config = await configFrom(
  "{ mode: enforce, audit: { enabled: true }, inventory: { enabled: true } }",
);
const { budget } = config;

/** A zone that declares every kind of resource, and differs in none. */
const whole = desiredZone({
  settings: [{ name: "enabled", value: true }],
  policies: declared([]),
  rules: { managed_rules: declared([]) },
});

/** Requests per second that the default budget of a credential sustains. */
export const perSecond: number = new RateLimiter({ ...budget, limit: budget.requests }).view(
  0,
).perSecond;

/** What a sweep of so many zones costs that declare everything, and how long it takes with one credential. */
export function sweepOf(zones: number): { readonly requests: number; readonly seconds: number } {
  const counts = sweepRequests(
    Array.from({ length: zones }, () => whole),
    () => "main",
    "read",
  );
  const requests = counts.get("main") ?? 0;
  return { requests: Math.ceil(requests), seconds: requests / perSecond };
}

/** What else costs requests, and how many a day. */
export interface Feed {
  readonly what: string;
  readonly requests: string;
  readonly perDay: number;
}

/** The feeds of a fleet in one account, with the defaults of the configuration. */
export function feedsOf(zones: number): readonly Feed[] {
  const { settings, policies, rules } = partsOf(whole.content);
  const live = Number(settings) + Number(policies) + rules.length;
  const { audit, inventory } = config;
  if (audit.follow === undefined || inventory === undefined) {
    throw new Error("a feed is switched off");
  }
  return [
    {
      what: "audit log, each account",
      requests: "one for each `audit.every`",
      perDay: 86_400_000 / audit.follow.everyMs,
    },
    {
      what: "inventory, each zone",
      requests: `${live} for the live state, ${inventory.kinds.length} for the kinds of items`,
      perDay: ((live + inventory.kinds.length) * zones * 86_400_000) / inventory.everyMs,
    },
  ];
}

/** The share of the budget that so many requests in so many seconds use, as a percentage. */
export function shareOfBudget(requests: number, seconds: number): string {
  const percent = (requests / seconds / perSecond) * 100;
  return `${percent < 20 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/** The table of sweeps: zones, requests, time. */
export function sweepsAsTable(): string {
  const rows = [5, 50, 400, 1_000, 5_000].map((zones) => {
    const { requests, seconds } = sweepOf(zones);
    const time = durationText(Math.round(seconds) * 1_000);
    return `| ${figure(zones)} | ${figure(requests)} | ${time} |`;
  });
  return ["| zones | requests of a sweep | time of a sweep |", "| --- | --- | --- |", ...rows].join(
    "\n",
  );
}

/** The table of what costs requests beside sweeps. */
export function feedsAsTable(): string {
  const rows = feedsOf(5_000).map(
    ({ what, requests, perDay }) =>
      `| ${what} | ${requests} | ${figure(perDay)} | ${shareOfBudget(perDay, 86_400)} |`,
  );
  return ["| what | requests | a day | of the budget |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

/** A whole number as the documents write it. */
export function figure(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}
