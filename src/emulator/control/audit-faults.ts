import type { AuditEffects } from "../audit/audit-log.ts";

/** Faults of the audit log: they concern the entries of the writes that they hit. */
export const auditFaultKinds = [
  "audit_late",
  "audit_shuffled",
  "audit_lost",
  "audit_duplicated",
] as const;

type AuditFaultKind = (typeof auditFaultKinds)[number];

/** What a fault does to an entry, given a random number from 0 up to 1. */
export type AuditEffectOf = (random: number) => AuditEffects;

/** @param seconds the longest delay, for the faults that have one. */
export function auditEffectOf(kind: AuditFaultKind, seconds: () => number): AuditEffectOf {
  switch (kind) {
    case "audit_late": {
      const lateMs = 1_000 * seconds();
      return () => ({ lateMs });
    }
    case "audit_shuffled": {
      const mostMs = 1_000 * seconds();
      return (random) => ({ lateMs: Math.floor(random * mostMs) });
    }
    case "audit_lost":
      return () => ({ lost: true });
    case "audit_duplicated":
      return () => ({ duplicated: true });
  }
}
