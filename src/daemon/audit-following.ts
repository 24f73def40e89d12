import type { Config } from "../desired/config/config.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Host } from "../host/host.ts";
import { AuditFeed } from "../reconcile/audit/audit-feed.ts";
import {
  type AuthorStore,
  DriftAuthors,
  type FollowedLog,
} from "../reconcile/audit/drift-authors.ts";
import { logAuditFeed, logMalformedAudit } from "../telemetry/log/log-audit.ts";
import { logInternalError } from "../telemetry/log/log-reports.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { ActorStyle } from "../zone/audit-entry.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { RunningConfig } from "./config-reload.ts";

/** What follows the audit log. */
export interface AuditFollowing {
  readonly feed: AuditFeed;
  readonly authors: DriftAuthors;
}

/** Connects the audit feed with the service, the log and those who want to know what it finds. */
export function followAudit(
  runningConfig: Pick<RunningConfig, "current">,
  service: ServiceClient,
  { clock }: Host,
  logger: Logger,
  store: AuthorStore,
  wake: (zone: ZoneName) => void,
): AuditFollowing {
  const configured = (): Config["audit"] => runningConfig.current.audit;
  const log: FollowedLog = {
    isOwnToken: (id) => service.audit.isOwnToken(id),
    isCompleteSince: (accountId, moment) => feed.isCompleteSince(accountId, moment),
  };
  const style = (): ActorStyle | undefined => {
    const { follow, actors } = configured();
    return follow && actors;
  };
  const authors = new DriftAuthors(clock, log, style, store);
  const feed: AuditFeed = new AuditFeed(configured().follow, {
    source: service.audit,
    clock,
    note: (zone, entries) => authors.note(zone, entries),
    wake,
    changed: (status) => logAuditFeed(logger, status),
    malformed: (count, accountId) => logMalformedAudit(logger, count, accountId),
    bug: (error) => logInternalError(logger, error, undefined),
  });
  return { feed, authors };
}
