import type { MetricDefinition } from "./exposition.ts";

/** The results of sending a notification. */
export const notificationResults = ["done", "error"] as const;

export type NotificationResult = (typeof notificationResults)[number];

type Labels = MetricDefinition["labels"];

/** A metric that only grows. */
export function counter(name: string, help: string, labels: Labels): MetricDefinition {
  return { name, type: "counter", labels, help };
}

/** A metric that grows and shrinks. */
export function gauge(name: string, help: string, labels: Labels = {}): MetricDefinition {
  return { name, type: "gauge", labels, help };
}

/** A metric of durations. */
export function histogram(name: string, help: string, labels: Labels): MetricDefinition {
  return { name, type: "histogram", labels, help };
}
