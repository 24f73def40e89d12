import { ServiceError } from "../zone/service-error.ts";
import type { Failure } from "./run-report.ts";

/** An error as data. What is not the service's failure is `INTERNAL`, and its message stays in the log. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ServiceError) {
    const { code, message, transient, ray, retryAfterMs } = error;
    return { code, message, transient, ray, retryAfterMs };
  }
  return {
    code: "INTERNAL",
    message: "internal error: see the log",
    transient: true,
    ray: "",
    retryAfterMs: 0,
  };
}
