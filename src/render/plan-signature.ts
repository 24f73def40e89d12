import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/** A key, or why a text is none, for the operator. */
export type ReadKey =
  | { readonly key: KeyObject; readonly why: undefined }
  | { readonly key: undefined; readonly why: string };

/** Reads the private key that signs plans: Ed25519, PEM, without a password. */
export function signingKeyOf(pem: string): ReadKey {
  return ed25519(() => createPrivateKey(pem), "a private key");
}

/** Reads the public key that verifies plans. A private key is refused: whoever applies plans must not be able to sign them. */
export function verifyKeyOf(pem: string): ReadKey {
  if (pem.includes("PRIVATE KEY-----")) {
    return { key: undefined, why: "it is a private key; keep it where plans are made" };
  }
  return ed25519(() => createPublicKey(pem), "a public key");
}

function ed25519(read: () => KeyObject, what: string): ReadKey {
  try {
    const key = read();
    if (key.asymmetricKeyType === "ed25519") return { key, why: undefined };
    return { key: undefined, why: `its type is ${String(key.asymmetricKeyType)}, not ed25519` };
  } catch {
    return { key: undefined, why: `it is not ${what} in PEM without a password` };
  }
}

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
