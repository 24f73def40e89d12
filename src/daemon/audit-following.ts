import { AuditFeed } from "../audit/audit-feed.ts";
import { DriftAuthors, type FollowedLog } from "../audit/drift-authors.ts";
import type { Config } from "../desired/config/config.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Host } from "../host/host.ts";
import type { StoredRuns } from "../memory/stored-runs.ts";
import { type Notification, notificationOfTokenUses } from "../notify/notification.ts";
import type { JudgedTokenUse } from "../state/audit-status.ts";
import {
  logAuditFeed,
  logMalformedAudit,
  logPossiblyOwn,
  logTokenUses,
} from "../telemetry/log/log-audit.ts";
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
  runningConfig: RunningConfig,
  service: ServiceClient,
  { clock }: Host,
  logger: Logger,
  store: StoredRuns,
  wake: (zone: ZoneName) => void,
  notify: (notification: Notification) => void,
): AuditFollowing {
  const configured = (): Config["audit"] => runningConfig.current.audit;
  const log: FollowedLog = {
    isOwn: (entry) => feed.isOwn(entry),
    isCompleteSince: (accountId, moment) => feed.isCompleteSince(accountId, moment),
  };
  const style = (): ActorStyle | undefined => {
    const { follow, actors } = configured();
    return follow && actors;
  };
  const notifyOf = (uses: readonly JudgedTokenUse[]): void => {
    const notification = notificationOfTokenUses(uses, undefined);
    if (notification !== undefined) notify(notification);
  };
  const authors = new DriftAuthors(clock, log, style, store);
  const feed: AuditFeed = new AuditFeed(configured().follow, {
    source: service.audit,
    clock,
    note: (zone, entries) => authors.note(zone, entries),
    wake,
    isEarlierRay: (ray) => store.isEarlierRay(ray),
    former: store.formerTerm,
    usedElsewhere: (uses) => logTokenUses(logger, uses),
    usedForOthers: (uses) => notifyOf(uses),
    possiblyOwn: (count) => logPossiblyOwn(logger, count),
    changed: (status) => logAuditFeed(logger, status),
    malformed: (count, accountId) => logMalformedAudit(logger, count, accountId),
    bug: (error) => logInternalError(logger, error, undefined),
  });
  return { feed, authors };
}
