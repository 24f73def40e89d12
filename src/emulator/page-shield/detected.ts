import type { JsonObject } from "../../syntax/json.ts";
import { timestamp } from "../http/timestamp.ts";
import type { Detected } from "../state.ts";

/** What a script or connection can be (SERVICE.md A.5). */
export const statuses = ["active", "infrequent", "inactive"] as const;

/** One of {@link statuses}. */
export type Status = (typeof statuses)[number];

const day = 24 * 60 * 60 * 1_000;

/** Fewer reports than this leave an item infrequent. The documentation leaves open what exactly three are: active here. */
const enoughReports = 3;

/** The status at a moment; `undefined`: silent for so long that it is deleted. */
export function statusOf({ reports, lastSeen }: Detected, now: Date): Status | undefined {
  const silentDays = (now.getTime() - lastSeen) / day;
  if (reports < enoughReports) return silentDays < 5 ? "infrequent" : undefined;
  if (silentDays < 7) return "active";
  return silentDays < 30 ? "inactive" : undefined;
}

/** A script or connection as lists show it. */
export function itemShown({ facts, lastSeen }: Detected, status: Status): JsonObject {
  return { ...facts, last_seen_at: timestamp(new Date(lastSeen)), status };
}

/** A cookie as answers show it: it has neither a status nor a moment of addition (SERVICE.md A.4). */
export function cookieShown({ facts, detail, lastSeen }: Detected): JsonObject {
  return { ...facts, ...detail, last_seen_at: timestamp(new Date(lastSeen)) };
}

/** The item after more reports of visitors' browsers. */
export function reported(item: Detected, times: number, now: Date): Detected {
  return { ...item, reports: item.reports + times, lastSeen: now.getTime() };
}
