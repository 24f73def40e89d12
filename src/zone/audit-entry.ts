/** An entry of the service's audit log; "" for what the service did not say (SERVICE.md C.7). */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: AuditActor;
  readonly method: string;
  /** Path of the request, without base path and query. */
  readonly path: string;
  /** Whether the service says that it refused the request: then nothing has changed. */
  readonly isRefused: boolean;
  readonly zoneId: string;
  readonly zoneName: string;
  readonly resourceId: string;
  readonly ray: string;
}

/** Who did something; "" for what the service did not say. */
export interface AuditActor {
  readonly type: string;
  /** How: `dash`, `api_token` and so on. */
  readonly context: string;
  readonly email: string;
  readonly tokenId: string;
  readonly tokenName: string;
}

/** A part of an audit log. */
export interface AuditRead {
  /** Newest first, as far as the service keeps the order. */
  readonly entries: readonly AuditEntry[];
  /** How many entries could not be understood. */
  readonly malformed: number;
  /** Whether there were more than are read at once: the oldest are missing. */
  readonly isCut: boolean;
}

/** From when to when an audit log is read; `since` is included. */
export interface AuditWindow {
  readonly since: Date;
  readonly before: Date;
}
