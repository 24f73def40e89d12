import type { Reader } from "../api/service.ts";
import type { Logger } from "../telemetry/log/log.ts";

/** Asks the service when the tokens expire, one check at a time; the answers are in the state of the credentials. */
export function tokenChecks(
  reader: Pick<Reader, "verifyTokens">,
  logger: Pick<Logger, "debug">,
): (...args: Parameters<Reader["verifyTokens"]>) => void {
  let check: Promise<void> | undefined;
  return (...args) => {
    check ??= reader
      .verifyTokens(...args)
      .catch((error: unknown) => logger.debug({ err: error }, "tokens cannot be verified"))
      .finally(() => {
        check = undefined;
      });
  };
}
