/**
 * How the measurements go. `off`: nothing asks for them. `denied`: no token may read them. `lagging`: hours could not be
 * read yet.
 */
export const collectorStates = ["off", "starting", "collecting", "denied", "lagging"] as const;

export type CollectorState = (typeof collectorStates)[number];

export interface CollectorStatus {
  readonly state: CollectorState;
  /** Why it lags, or is denied; "" otherwise. */
  readonly reason: string;
}

/** What a state means that is not good, and what to do; "" for those that are. */
export const collectorRemedies: Readonly<Record<CollectorState, string>> = {
  off: "",
  starting: "",
  collecting: "",
  denied: "measurements not permitted: give the token the permission Analytics: Read",
  lagging: "measurements lag: hours that were not read are read later",
};
