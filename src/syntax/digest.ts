import { hash } from "node:crypto";

/**
 * SHA-256 of bytes, or of a text in UTF-8: 64 hexadecimal digits. Nobody finds two contents with
 * the same.
 */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content);
}

/**
 * The first 12 characters of SHA-256 in base64url: 72 bits, so that no two contents have the same
 * by chance. For names and comparisons that nobody gains by forging.
 */
export function shortDigest(content: string | Uint8Array): string {
  return hash("sha256", content, "base64url").slice(0, 12);
}
