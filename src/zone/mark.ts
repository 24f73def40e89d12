/**
 * Appends our mark to the description of a policy: `Scripts of the checkout [zonewarden:checkout]`.
 */
export function marked(description: string, owner: string, key: string): string {
  return description === "" ? `[${owner}:${key}]` : `${description} [${owner}:${key}]`;
}

/** The mark of a live resource: its owner and declared key; both `undefined` without a mark. */
export interface Mark {
  readonly owner: string | undefined;
  readonly key: string | undefined;
}

export interface MarkedDescription extends Mark {
  readonly description: string;
}

const markAtEnd =
  /^(?:(?<description>.*\S)\s+|\s*)\[(?<owner>[a-z0-9][a-z0-9._-]*):(?<key>[^\s[\]:]+)\]\s*$/s;

/** Splits the mark off a description. Text that only resembles a mark stays in the description. */
export function unmarked(text: string): MarkedDescription {
  const groups = markAtEnd.exec(text)?.groups;
  if (groups === undefined) return { description: text, owner: undefined, key: undefined };
  return { description: groups["description"] ?? "", owner: groups["owner"], key: groups["key"] };
}

/** The `ref` of our rules: `zonewarden:owasp`. */
export function refOf(owner: string, key: string): string {
  return `${owner}:${key}`;
}

const markedRef = /^(?<owner>[a-z0-9][a-z0-9._-]*):(?<key>\S.*)$/s;

/** The mark in a `ref`; other refs are no marks. */
export function markOfRef(ref: string): Mark {
  const groups = markedRef.exec(ref)?.groups;
  return { owner: groups?.["owner"], key: groups?.["key"] };
}

/** The key in a `ref` of ours; `undefined` for any other ref. */
export function keyOfRef(owner: string, ref: string): string | undefined {
  const mark = markOfRef(ref);
  return mark.owner === owner ? mark.key : undefined;
}
