/** An error of the analytics: an element of `errors` in the answer, and its documented status. */
export class AnalyticsError extends Error {
  readonly status: number;
  readonly code: string | undefined;

  /** `code` becomes `extensions.code`; `undefined`: it has none. */
  constructor(status: number, message: string, code?: string) {
    super(message);
    this.name = "AnalyticsError";
    this.status = status;
    this.code = code;
  }
}

/** The error of an argument that cannot be read. */
export function badArguments(field: string, detail: string): AnalyticsError {
  return new AnalyticsError(400, `error parsing args for "${field}": ${detail}`);
}
