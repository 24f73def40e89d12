/** A revision as it is told to people: of a commit's hash the first twelve digits, anything else whole. */
export function shortRevision(revision: string): string {
  return /^[0-9a-f]{16,}$/.test(revision) ? revision.slice(0, 12) : revision;
}
