/** The hash that a hold asks a person to accept. */
export function hashToAccept(message: string | undefined): string {
  const [, hash] = /add (\S+) to limits\.accept/.exec(message ?? "") ?? [];
  if (hash === undefined) throw new Error(`no hash to accept: ${message}`);
  return hash;
}
