import type { Credential } from "../api/credentials/credential.ts";

/** Whether a token that the service refused is another one by now: what failed for it is worth another look. */
export async function isAnyTokenReplaced(credentials: readonly Credential[]): Promise<boolean> {
  const replaced = await Promise.all(credentials.map((credential) => credential.isReplaced()));
  return replaced.includes(true);
}
