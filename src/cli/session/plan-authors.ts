import { windowSince } from "../../audit/audit-window.ts";
import { authorsOf } from "../../audit/find-authors.ts";
import { isDrift } from "../../plan/cause/cause.ts";
import type { PlannedZone } from "../../reconcile/run/plan-zone.ts";
import { type AuditEntry, type AuditRead, oldestFirst } from "../../zone/audit-entry.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import type { Session } from "./session.ts";
import { withPlans } from "./with-plans.ts";

/** How far back the audit log is read. */
const windowMs = 30 * 24 * 3_600_000;

/**
 * The planned zones with the authors of their drift, by one read of the audit log of each account with drift. Where the
 * token may not read it, nobody is named.
 */
export async function withAuthors<T extends { readonly planned: PlannedZone }>(
  zones: readonly T[],
  session: Session,
): Promise<readonly T[]> {
  const drifted = zones.flatMap(({ planned: { report } }) =>
    "plan" in report && report.plan.changes.some(isDrift) ? [report.plan.zone] : [],
  );
  const logs = new Map<string, readonly AuditEntry[]>();
  for (const [account, touched] of Map.groupBy(drifted, ({ accountId }) => accountId)) {
    const read = await readLog(touched, session);
    if (read === undefined) continue;
    const distinct = new Map(read.entries.map((entry) => [entry.id, entry]));
    logs.set(account, oldestFirst([...distinct.values()]));
  }
  const { config, service } = session;
  const isOwn = ({ actor }: AuditEntry): boolean => service.audit.isOwnToken(actor.tokenId);
  return withPlans(zones, (plan) => {
    const { id, accountId } = plan.zone;
    const log = logs.get(accountId);
    if (log === undefined) return plan;
    const entries = log.filter(({ path }) => path.startsWith(`/zones/${id}/`));
    const known = { entries, isSinceDeclared: false, isOwn, gone: undefined };
    const changes = plan.changes.map((change) =>
      isDrift(change)
        ? { ...change, authors: authorsOf(change, known, config.audit.actors) }
        : change,
    );
    return { ...plan, changes };
  });
}

/** `undefined` if the log cannot be read; why is printed, unless the token has no permission: many have none. */
async function readLog(
  zones: readonly Zone[],
  { service, host, stop }: Session,
): Promise<AuditRead | undefined> {
  const now = host.clock.now();
  const window = windowSince(new Date(Number(now) - windowMs), now);
  const [zone, ...others] = zones;
  if (zone === undefined) return undefined;
  try {
    return others.length === 0
      ? await service.audit.readOf(zone, window, stop)
      : await service.audit.readAll(zones, window, stop);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (!service.audit.isDenied(error)) {
      host.stderr.write(
        `the audit log could not be read (${error.code}): who made the drift is not known\n`,
      );
    }
    return undefined;
  }
}
