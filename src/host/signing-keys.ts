import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** A key, or why a text is none, for the operator. */
export type ReadKey =
  | { readonly key: KeyObject; readonly why: undefined }
  | { readonly key: undefined; readonly why: string };

/** Reads the private key that signs plans or the history: Ed25519, PEM, without a password. */
export function signingKeyOf(pem: string): ReadKey {
  return ed25519(() => createPrivateKey(pem), "a private key");
}

/**
 * Reads the public key that verifies signatures. A private key is refused: whoever verifies must
 * not be able to sign.
 */
export function verifyKeyOf(pem: string): ReadKey {
  if (pem.includes("PRIVATE KEY-----")) {
    return { key: undefined, why: "it is a private key; keep it where it signs" };
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
