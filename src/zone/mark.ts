/** Joins a description and our mark, as it stands in a policy's description: `Scripts of the checkout [zonewarden:checkout]`. */
export function marked(description: string, owner: string, key: string): string {
  return description === "" ? `[${owner}:${key}]` : `${description} [${owner}:${key}]`;
}

/** Who made a live thing, and what it is declared as; both `undefined` for what nobody has marked. */
export interface Mark {
  readonly owner: string | undefined;
  readonly key: string | undefined;
}

/** A description taken apart: the words, and the mark at its end, if there is one. */
export interface MarkedDescription extends Mark {
  readonly description: string;
}

const markAtEnd =
  /^(?:(?<description>.*\S)\s+|\s*)\[(?<owner>[a-z0-9][a-z0-9._-]*):(?<key>[^\s[\]:]+)\]\s*$/s;

/** Takes a description apart. Text that only resembles a mark stays text. */
export function unmarked(text: string): MarkedDescription {
  const groups = markAtEnd.exec(text)?.groups;
  if (groups === undefined) return { description: text, owner: undefined, key: undefined };
  return { description: groups["description"] ?? "", owner: groups["owner"], key: groups["key"] };
}

/** The `ref` that a rule of ours carries: `zonewarden:owasp`. */
export function refOf(owner: string, key: string): string {
  return `${owner}:${key}`;
}

const markedRef = /^(?<owner>[a-z0-9][a-z0-9._-]*):(?<key>\S.*)$/s;

/** The mark that a `ref` is; the refs that the service or other tools give are none. */
export function markOfRef(ref: string): Mark {
  const groups = markedRef.exec(ref)?.groups;
  return { owner: groups?.["owner"], key: groups?.["key"] };
}

/** The key in a `ref` of ours; `undefined` where the ref is not ours. */
export function keyOfRef(owner: string, ref: string): string | undefined {
  const mark = markOfRef(ref);
  return mark.owner === owner ? mark.key : undefined;
}
