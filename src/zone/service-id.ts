/**
 * Whether a text can be an id, or the version of a ruleset: letters, digits, `_` and `-`. Ids
 * become segments of paths, and no path may be built from anything else.
 */
export function isServiceId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}

/**
 * Whether texts can be the ids of all objects in a list: each is one, and no two objects have the
 * same.
 */
export function areIdsOfList(ids: readonly string[]): boolean {
  return ids.every(isServiceId) && new Set(ids).size === ids.length;
}

/**
 * Whether a text can be the `ref` of a rule: a text without control characters, never part of a
 * path.
 */
export function isRuleRef(text: string): boolean {
  return /^[^\p{Cc}]{1,1024}$/u.test(text);
}
