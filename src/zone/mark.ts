/** Joins a description and our mark, as it stands in a policy's description: `Scripts of the checkout [zonewarden:checkout]`. */
export function marked(description: string, owner: string, key: string): string {
  return description === "" ? `[${owner}:${key}]` : `${description} [${owner}:${key}]`;
}

/** A description taken apart: the words, and the owner and key of the mark at its end, if there is one. */
export interface MarkedDescription {
  readonly description: string;
  readonly owner: string | undefined;
  readonly key: string | undefined;
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

/** The key in a `ref` of ours; `undefined` where the ref is not ours. */
export function keyOfRef(owner: string, ref: string): string | undefined {
  return ref.startsWith(`${owner}:`) ? ref.slice(owner.length + 1) : undefined;
}

/** The owner whose mark a `ref` bears, ours or another's; `undefined` for the refs that the service or other tools give. */
export function ownerOfRef(ref: string): string | undefined {
  return /^(?<owner>[a-z0-9][a-z0-9._-]*):\S/.exec(ref)?.groups?.["owner"];
}
