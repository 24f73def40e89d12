import type { StepEvent, StepWait } from "../../src/state/step-wait.ts";
import type { ObjectSteps, ZoneStepsStatus } from "../../src/state/steps-status.ts";
import type { Promotion } from "../../src/zone/promotion.ts";
import { shop } from "./fleets.ts";
import { at, named } from "./reports.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** From log to allow after seven days of few violations. */
export const logToAllow: Promotion = {
  field: "action",
  steps: ["log", "allow"],
  afterMs: 7 * dayMs,
  when: { ratePer10k: 1, unknownScripts: 0, requestsAtLeast: 1_000 },
  watchMs: dayMs,
  rollback: { ratePer10k: 5, requestsAtLeast: 1_000 },
  at: undefined,
};

const levels: Promotion = {
  ...logToAllow,
  field: "paranoia_level",
  steps: [1, 2, 3],
  when: "time_only",
  rollback: undefined,
};

const over = { count: 130, requests: 20_000 };

/** What set the checkout back. */
export const setBack: StepEvent = {
  zone: named(shop),
  key: "policy/checkout",
  event: "set_back",
  from: "allow",
  to: "log",
  cause: over,
};

export const promoted: StepEvent = {
  zone: named(shop),
  key: "managed_rule/owasp",
  event: "promoted",
  from: 1,
  to: 2,
  cause: undefined,
};

function measuring(hours: number, ofMs: number): StepWait {
  return { reason: "measuring", ms: hours * hourMs, ofMs, isMeasured: true, state: undefined };
}

/** A policy that waits, so many hours after it came to its step. */
export function waiting(
  hours: number,
  now: Date,
  wait: StepWait = measuring(31, logToAllow.afterMs),
): ObjectSteps {
  return {
    key: "policy/site",
    promotion: logToAllow,
    step: "log",
    isWatched: false,
    isLate: hours * hourMs > 2 * logToAllow.afterMs,
    since: new Date(now.getTime() - hours * hourMs),
    counted: { count: 3, requests: 1_200_000 },
    wait,
  };
}

/** Objects in each state. */
export function steppedZone(now: Date = at(28)): ZoneStepsStatus {
  const stop = { declared: "d", from: "allow", at: at(5), cause: over } as const;
  const base = {
    promotion: logToAllow,
    isWatched: false,
    isLate: false,
    since: at(-60),
    counted: undefined,
  };
  return {
    pausedBy: undefined,
    objects: [
      {
        key: "managed_rule/owasp",
        promotion: levels,
        step: 2,
        isWatched: true,
        isLate: false,
        since: at(0),
        counted: { count: 12, requests: 9_000 },
        wait: { reason: "watched", ms: hourMs, ofMs: dayMs, isMeasured: false, state: undefined },
      },
      {
        ...base,
        key: "policy/admin",
        step: "log",
        wait: { reason: "stopped", stop: { ...stop, from: undefined, cause: { by: "<b>alice" } } },
      },
      { ...base, key: "policy/blog", step: "allow", wait: { reason: "last_step" } },
      {
        ...base,
        key: "policy/checkout",
        step: "log",
        counted: over,
        wait: { reason: "stopped", stop },
      },
      { ...base, key: "policy/new", step: undefined, since: undefined, wait: undefined },
      { ...waiting(31, now) },
      {
        ...waiting(400, now),
        key: "policy/slow",
        wait: { reason: "not_measured", state: "denied" },
      },
    ],
  };
}
