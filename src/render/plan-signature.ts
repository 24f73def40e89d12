import { type KeyObject, sign, verify } from "node:crypto";

/** Signatures of plans are of no use for anything else that is signed with the same key. */
const context = "zonewarden plan signature, version 1\n";

/** Signs the canonical text of a plan. */
export function signatureOf(text: string, key: KeyObject): string {
  return sign(null, Buffer.from(`${context}${text}`), key).toString("base64");
}

/** Whether a signature of a text was made with the private key of `key`. */
export function isSignatureOf(text: string, signature: string, key: KeyObject): boolean {
  return verify(null, Buffer.from(`${context}${text}`), key, Buffer.from(signature, "base64"));
}
