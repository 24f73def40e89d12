import { withoutSecrets } from "../syntax/without-secrets.ts";
import type { Place } from "./desired-zone.ts";
import type { Diagnostic } from "./diagnostic.ts";

const maxReason = 200;

/**
 * The diagnostic of an exception: a mistake of zonewarden, and not of a file. The rest goes on
 * without what failed.
 */
export function internalError(error: unknown, place: Place = everything): Diagnostic {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    code: "INTERNAL_ERROR",
    severity: "error",
    place,
    path: "",
    message: `zonewarden failed unexpectedly: ${withoutSecrets(reason).slice(0, maxReason)}`,
    remedy: "report it as a bug of zonewarden; what was active before stays active",
  };
}

const everything: Place = { file: ".", line: 1, column: 1 };

/** Whether a whole load failed, so that changes of the files have no effect. */
export function isLoadFailure({ code, place }: Diagnostic): boolean {
  return code === "INTERNAL_ERROR" && place.file === everything.file;
}
