import type { AuditSource } from "../audit/account-log.ts";
import { AuditFeed } from "../audit/audit-feed.ts";
import { DriftAuthors } from "../audit/drift-authors.ts";
import type { Host } from "../host/host.ts";
import type { StoredRuns } from "../memory/stored-runs.ts";
import { type Notification, notificationOfTokenUses } from "../notify/notification.ts";
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
  { audit: source }: { readonly audit: AuditSource },
  { clock }: Pick<Host, "clock">,
  logger: Logger,
  store: StoredRuns,
  wake: (zone: ZoneName) => void,
  notify: (notification: Notification | undefined) => void,
): AuditFollowing {
  const style = (): ActorStyle | undefined => {
    const { follow, actors } = runningConfig.current.audit;
    return follow && actors;
  };
  const feed = new AuditFeed(runningConfig.current.audit.follow, {
    source,
    clock,
    note: (zone, entries) => authors.note(zone, entries),
    wake,
    isEarlierRay: (ray) => store.isEarlierRay(ray),
    former: store.formerTerm,
    usedElsewhere: (uses) => logTokenUses(logger, uses),
    usedForOthers: (uses) => notify(notificationOfTokenUses(uses, undefined)),
    possiblyOwn: (count) => logPossiblyOwn(logger, count),
    changed: (status) => logAuditFeed(logger, status),
    malformed: (count, accountId) => logMalformedAudit(logger, count, accountId),
    bug: (error) => logInternalError(logger, error, undefined),
  });
  const authors = new DriftAuthors(clock, feed, style, store);
  return { feed, authors };
}
