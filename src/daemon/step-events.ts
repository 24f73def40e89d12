import { type Notification, notificationOfStep } from "../notify/notification.ts";
import type { Fleet } from "../state/fleet.ts";
import type { ZoneReport } from "../state/run-report.ts";
import type { StepEvent } from "../state/step-wait.ts";
import { logStep } from "../telemetry/log/log-steps.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Clock } from "../zone/ports.ts";
import type { ZoneName } from "../zone/zone.ts";

interface StepEventPorts {
  readonly fleet: Pick<Fleet, "load" | "zone">;
  readonly logger: Logger;
  readonly notify: (notification: Notification) => void;
  readonly clock: Pick<Clock, "now">;
}

/** What became of steps: log and notifications say them at once, the history with the next run of the zone. */
export class StepEvents {
  readonly #ports: StepEventPorts;
  readonly #unwritten = new Map<ZoneName, readonly StepEvent[]>();

  constructor(ports: StepEventPorts) {
    this.#ports = ports;
  }

  readonly happened = (event: StepEvent): void => {
    const { fleet, logger, notify, clock } = this.#ports;
    this.#unwritten.set(event.zone, [...(this.#unwritten.get(event.zone) ?? []), event]);
    logStep(logger, event);
    const notification = notificationOfStep(event, { ...fleet.load, at: clock.now() });
    if (notification === undefined) return;
    notify({ ...notification, labels: fleet.zone(event.zone)?.declared.labels });
  };

  /** The events of a zone that no run has had yet. */
  readonly of = ({ zone }: Pick<ZoneReport, "zone">): readonly StepEvent[] => {
    const events = this.#unwritten.get(zone) ?? [];
    this.#unwritten.delete(zone);
    return events;
  };
}
