import type { KeyObject } from "node:crypto";

import type { Config } from "../../desired/config/config.ts";
import type { HistoryProof } from "../../history/verify/verify-history.ts";
import type { Host } from "../../host/host.ts";
import { readText } from "../../host/named-files.ts";
import { type ReadKey, signingKeyOf, verifyKeyOf } from "../../host/signing-keys.ts";
import { signatureError, type SignedText } from "../../render/plan-file.ts";

/** Reads the private key that `plan --sign-key` names; a text says what is wrong with the file. */
export function readSigningKey(file: string, host: Host): Promise<KeyObject | string> {
  return readKey(file, signingKeyOf, "make one with openssl genpkey -algorithm ed25519", host);
}

/** The flags with what somebody else keeps of a history. */
export interface ProofFlags {
  readonly head?: string;
  readonly verifyKey?: string;
}

/** With what a history is compared; a message where a flag is wrong. */
export async function proofIn(
  { head, verifyKey }: ProofFlags,
  host: Host,
): Promise<HistoryProof | string> {
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    return "--head takes the 64 hexadecimal digits of a head";
  }
  if (verifyKey === undefined) return { head };
  const remedy = "name the public key of history.sign_key: openssl pkey -in KEY -pubout";
  const read = await readKey(verifyKey, verifyKeyOf, remedy, host);
  return typeof read === "string" ? read : { head, key: read };
}

async function readKey(
  file: string,
  parse: (pem: string) => ReadKey,
  remedy: string,
  host: Host,
): Promise<KeyObject | string> {
  const { text, why: unreadable } = await readText(file, host);
  if (text === undefined) return `${file}: cannot be read: ${unreadable}; ${remedy}`;
  const { key, why } = parse(text);
  return key ?? `${file}: ${why}; ${remedy}`;
}

/**
 * Why a saved plan is refused for its signature, for the operator; `undefined` if it is not. It must be signed for the
 * key that the command line names, and for the one of the configuration: a flag replaces no key that is configured.
 */
export async function signatureErrorText(
  signed: SignedText,
  named: string | undefined,
  { plan: { verifyKey } }: Config,
  host: Host,
): Promise<string | undefined> {
  for (const file of [named, verifyKey]) {
    if (file === undefined) continue;
    const remedy = "name the public key of the one that plan --sign-key signs with";
    const read = await readKey(file, verifyKeyOf, remedy, host);
    if (typeof read === "string") return read;
    const error = signatureError(signed, read);
    if (error !== undefined) return `${error.message} (${error.code}; key ${file})`;
  }
  return undefined;
}
