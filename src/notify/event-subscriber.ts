import { changesLine } from "../render/change-text.ts";
import type { Subscriber, ZoneStep } from "../state/fleet.ts";
import type { LoadReport } from "../state/load-report.ts";
import { isAllDone } from "../state/run-report.ts";
import type { ClusterEvent, EventRecorder } from "./event-recorder.ts";
import {
  type Notification,
  notificationOf,
  notificationOfLoad,
  notificationOfRemovals,
} from "./notification.ts";

/** Records what notifications are about, and each plan that was applied. */
export function eventSubscriber(events: EventRecorder): Subscriber {
  let before: LoadReport | undefined;
  const record = (notification: Notification | undefined): void => {
    if (notification !== undefined) events.record(eventOf(notification));
  };
  return {
    zone: (step) => {
      const notification = notificationOf(step);
      if (notification === undefined) recordApplied(step, events);
      else record(notification);
    },
    load: (load) => {
      record(notificationOfLoad(load, before));
      before = load;
    },
    gone: (zones, load) => record(notificationOfRemovals(zones, load)),
  };
}

function eventOf({ reason, severity, zone, message }: Notification): ClusterEvent {
  const note = zone === "" || message.startsWith(zone) ? message : `${zone}: ${message}`;
  return { reason, type: severity === "error" ? "Warning" : "Normal", note };
}

function recordApplied({ report }: ZoneStep, events: EventRecorder): void {
  if (report.result !== "applied" || !isAllDone(report.outcomes)) return;
  const note = `${report.zone}: ${changesLine(report.plan.changes)}`;
  events.record({ reason: "PlanApplied", type: "Normal", note });
}
