import type { Config } from "../desired/config/config.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Host } from "../host/host.ts";
import { AuditFeed } from "../reconcile/audit/audit-feed.ts";
import { logAuditFeed, logMalformedAudit } from "../telemetry/log/log-audit.ts";
import { logInternalError } from "../telemetry/log/log-reports.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { ZoneName } from "../zone/zone.ts";

/** Connects the audit feed with the service and the log; `undefined`: the configuration does not ask for it. */
export function createAuditFeed(
  { audit }: Config,
  service: ServiceClient,
  { clock }: Host,
  logger: Logger,
  wake: (zone: ZoneName) => void,
): AuditFeed | undefined {
  if (audit === undefined) return undefined;
  return new AuditFeed(audit, {
    source: service.audit,
    clock,
    wake,
    changed: (status) => logAuditFeed(logger, status),
    malformed: (count, accountId) => logMalformedAudit(logger, count, accountId),
    bug: (error) => logInternalError(logger, error, undefined),
  });
}
