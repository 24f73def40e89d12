/** A recurring time in which writes are allowed (`allow`: only then) or not (`freeze`). */
export interface Window {
  readonly name: string;
  readonly type: "allow" | "freeze";
  /** A valid cron expression of the moments at which the window opens. */
  readonly start: string;
  readonly durationMs: number;
  readonly timezone: string;
  /** Whether plans that only strengthen the protection are applied nevertheless. */
  readonly letStrengtheningPass: boolean;
}
