import { isJsonObject, coerceDate } from "../../syntax/json.ts";
import { get, unlessRefused } from "../request/call.ts";
import { type ServiceSession, sendWithRetries } from "../request/retry.ts";
import { routes } from "../routes.ts";
import { textIn } from "../wire-value.ts";

/**
 * Verifies the token of a session if that is due, and notes on its credential whether it is valid
 * and when it expires.
 *
 * A token belongs to a user or to an account, and each kind has its own path (SERVICE.md C.4). A
 * token that neither path knows may still be valid for its purpose.
 *
 * @param accountId an account that the credential serves, or "" if unknown.
 */
export async function verifyToken(
  session: ServiceSession,
  accountId: string,
  signal: AbortSignal,
): Promise<void> {
  const { credential } = session;
  const token = await credential.token();
  if (!credential.isVerificationDue) return;
  const calls = [get(routes.verifyUserToken, {})];
  if (accountId !== "") calls.push(get(routes.verifyAccountToken, { account_id: accountId }));
  for (const call of calls) {
    const answer = await unlessRefused(sendWithRetries(session, "inventory", call, signal));
    const result = answer?.result();
    if (isJsonObject(result)) {
      credential.noteValid(textIn(result, "status", "active") === "active");
      credential.noteTokenId(textIn(result, "id"));
      credential.noteVerified(token, coerceDate(result["expires_on"]));
      return;
    }
  }
  if (accountId !== "") credential.noteVerified(token, undefined);
}
