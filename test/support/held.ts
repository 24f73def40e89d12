/** The hash that a hold asks a person to accept. */
export function hashToAccept(message: string | undefined): string {
  const [, hash] = /add ([0-9a-f]{64}) to limits\.accept/.exec(message ?? "") ?? [];
  if (hash === undefined) throw new Error(`no hash to accept: ${message}`);
  return hash;
}
