/**
 * What looks like a token whatever stands around it: a long word of small and capital letters and digits, or of more
 * hexadecimal digits than an id has. Host names have dots, and hashes of a content policy say what they are.
 */
const tokenLike =
  /(?<![\w.+/=-])(?!(?:sha\d{3}|nonce)-)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}(?![\w.+=-])|\b[\da-f]{33,}\b/g;

/** `text` without what looks like a secret in it. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(tokenLike, "…");
}
