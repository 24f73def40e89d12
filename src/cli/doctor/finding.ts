import type { JsonObject } from "../../syntax/json.ts";
import { withoutSecrets } from "../../syntax/without-secrets.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { type ExitCode, exitCodeOfFailure, exitCodes } from "../output/exit-codes.ts";

/** What `doctor` checks, in the order of its output. */
export const checkNames = [
  "configuration",
  "secrets",
  "zone_files",
  "service",
  "token",
  "clock",
  "permissions",
  "zones",
  "budget",
  "ruleset_versions",
  "store",
  "history",
  "cluster",
] as const;

export type CheckName = (typeof checkNames)[number];

/** One result of a check. Neither text holds a secret. */
export interface CheckFinding {
  readonly check: CheckName;
  /** `skipped`: not checked, because of another finding. */
  readonly status: "ok" | "warning" | "error" | "skipped";
  /** The code of a diagnostic or of an error of the service; "" if there is none. */
  readonly code: string;
  readonly message: string;
  /** What to do; "" if there is nothing to do. */
  readonly remedy: string;
}

interface Fault {
  readonly message: string;
  readonly remedy: string;
  readonly code?: string;
}

export function fine(check: CheckName, message: string): CheckFinding {
  return { check, status: "ok", code: "", message: withoutSecrets(message), remedy: "" };
}

export function skipped(check: CheckName, why: string): CheckFinding {
  return { check, status: "skipped", code: "", message: `not checked: ${why}`, remedy: "" };
}

export function finding(
  check: CheckName,
  status: "warning" | "error",
  { message, remedy, code = "" }: Fault,
): CheckFinding {
  const texts = { message: withoutSecrets(message), remedy: withoutSecrets(remedy) };
  return { check, status, code, ...texts };
}

/** A failure of the service, or an internal error, which is thrown again. */
export function failureOf(error: unknown): Fault {
  if (!(error instanceof ServiceError)) throw error;
  const { code, message } = error;
  // Errors end with what the operator can do, after a semicolon.
  const end = message.lastIndexOf("; ");
  if (end < 0) return { code, message, remedy: "run zonewarden doctor again after a minute" };
  return { code, message: message.slice(0, end), remedy: message.slice(end + 2) };
}

/** The exit code: an invalid file comes before a service that cannot be reached, and both before other errors. */
export function exitCodeOf(findings: readonly CheckFinding[]): ExitCode {
  const errors = findings.filter(({ status }) => status === "error");
  if (errors.some(({ check }) => check === "configuration" || check === "zone_files")) {
    return exitCodes.invalid;
  }
  const codes = errors.map(({ code }) => exitCodeOfFailure(code));
  if (codes.includes(exitCodes.unreachable)) return exitCodes.unreachable;
  return codes.length > 0 ? exitCodes.failed : exitCodes.done;
}

/** Format of {@link findingsJson}; see `schemas/doctor.schema.json`. */
export const doctorFormat = "zonewarden-doctor/1";

export function findingsJson(findings: readonly CheckFinding[]): JsonObject {
  return {
    format: doctorFormat,
    errors: countOf(findings, "error"),
    warnings: countOf(findings, "warning"),
    findings: findings.map((each) => ({ ...each })),
  };
}

export function countOf(findings: readonly CheckFinding[], status: CheckFinding["status"]): number {
  return findings.filter((each) => each.status === status).length;
}
