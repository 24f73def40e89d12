import type { SweepRequests } from "../../daemon/sweep-schedule.ts";
import type { Config } from "../../desired/config/config.ts";
import { durationText, plural } from "../../render/format.ts";
import { sum } from "../../syntax/sum.ts";

/** How long requests take at most within the budget of each credential, in milliseconds: 0 if they fit into one window. */
export function readingMs(requests: SweepRequests, { budget }: Pick<Config, "budget">): number {
  const perWindow = Math.max(1, Math.floor(budget.requests * (1 - budget.reserve)));
  const windows = requests.values().map((count) => Math.floor(count / perWindow));
  return Math.max(0, ...windows) * budget.windowMs;
}

/** A line about what a command is going to read: from the least to the most requests, and how long that takes. */
export function forecastText(
  what: string,
  [least, most]: readonly [SweepRequests, SweepRequests],
  config: Pick<Config, "budget">,
): string {
  const [fewest, all] = [least, most].map((requests) => Math.ceil(sum(requests.values())));
  const [soonest, latest] = [readingMs(least, config), readingMs(most, config)];
  const upTo = latest === 0 ? "less than a minute" : durationText(latest);
  const time = soonest === 0 || soonest === latest ? upTo : `${durationText(soonest)} to ${upTo}`;
  const from = fewest === all ? "" : `${fewest} to `;
  return `${what}: ${from}${plural(all ?? 0, "request")}, ${time} within the request budget\n`;
}
