import type { Failure } from "../../state/run-report.ts";

/** The body of an answer of `/api/v1`. Names are in snake case, moments in ISO 8601, what is missing is `null`. */
export type JsonBody = Readonly<Record<string, unknown>>;

/** What something failed with. */
export function failureJson({ code, message, transient, ray }: Failure): JsonBody {
  return { code, message, transient, ray };
}
