import type { AuditEffects } from "../audit/audit-log.ts";

/** What a fault does to an entry, given a random number from 0 up to 1. */
export type AuditEffectOf = (random: number) => AuditEffects;

/**
 * Faults of the audit log: they concern the entries of the writes that they hit. Each is given the
 * longest delay, for those that have one.
 */
export const auditFaults: Readonly<Record<string, (seconds: () => number) => AuditEffectOf>> = {
  audit_late: (seconds) => {
    const lateMs = 1_000 * seconds();
    return () => ({ lateMs });
  },
  audit_shuffled: (seconds) => {
    const mostMs = 1_000 * seconds();
    return (random) => ({ lateMs: Math.floor(random * mostMs) });
  },
  audit_lost: () => () => ({ lost: true }),
  audit_duplicated: () => () => ({ duplicated: true }),
};
