import type { Failure } from "./run-report.ts";

/** An error in the form of the service's client: `code` tells what failed, `transient` whether to try again. */
interface ServiceError extends Error {
  readonly code: string;
  readonly transient: boolean;
  readonly ray: string;
  readonly retryAfterMs: number;
}

/** Whether an error is the service's failure and not a bug of ours. */
export function isServiceError(error: unknown): error is ServiceError {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("API_") &&
    "transient" in error &&
    typeof error.transient === "boolean" &&
    "ray" in error &&
    typeof error.ray === "string" &&
    "retryAfterMs" in error &&
    typeof error.retryAfterMs === "number"
  );
}

/** An error as data. What is not the service's failure is `INTERNAL`, and its message stays in the log. */
export function failureOf(error: unknown): Failure {
  if (isServiceError(error)) {
    const { code, message, transient, ray, retryAfterMs } = error;
    return { code, message, transient, ray, retryAfterMs };
  }
  return {
    code: "INTERNAL",
    message: "a fault of the program itself: the log has the details",
    transient: true,
    ray: "",
    retryAfterMs: 0,
  };
}
