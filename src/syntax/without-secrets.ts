/**
 * A probable token: a long word of lower and upper case letters and digits, or with more
 * hexadecimal digits than an id. Host names have dots, and hashes of a policy have a prefix.
 */
const tokenLike =
  /(?<![\w.+/=-])(?!(?:sha\d{3}|nonce)-)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}(?![\w.+=-])|\b[\da-f]{33,}\b/g;

/** `text` with probable secrets replaced. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(tokenLike, "…");
}
