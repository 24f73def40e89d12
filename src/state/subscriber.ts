import type { LoadReport } from "./load-report.ts";
import type { ZoneReport } from "./run-report.ts";
import type { ZoneState } from "./zone-state.ts";

/** One run of a zone, with what was known of the zone before it and what is known after it. */
export interface ZoneStep {
  readonly before: ZoneState;
  readonly report: ZoneReport;
  readonly after: ZoneState;
}

/** Someone who hears of every run and of every reading of the files, once the fleet has taken it in. Never waited for. */
export interface Subscriber {
  zone(step: ZoneStep): void;
  load(load: LoadReport): void;
  /** A zone is no longer among those declared; this is what was known of it last. */
  gone(before: ZoneState, load: LoadReport): void;
}
