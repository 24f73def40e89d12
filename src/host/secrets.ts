import type { SecretSource } from "../desired/config/config.ts";
import { reasonOf } from "../desired/yaml/decode-text.ts";
import type { Host } from "./host.ts";

/** A longer file holds no secret. */
const maxSecretBytes = 4_096;

/**
 * Reads a secret each time it is needed: its file can change while the program runs. Rejects if
 * there is none.
 */
export async function readSecret(source: SecretSource, host: Host): Promise<string> {
  if ("file" in source) return readSecretFile(source.file, host);
  const secret = host.env[source.env]?.trim() ?? "";
  if (secret === "") throw new Error(`the environment has no ${nameShown(source.env)}`);
  return secret;
}

/**
 * The message has neither path nor name: somebody may have written the secret itself into that key.
 */
async function readSecretFile(file: string, host: Host): Promise<string> {
  try {
    const bytes = await host.files.read(file, maxSecretBytes, AbortSignal.timeout(5_000));
    return new TextDecoder().decode(bytes).trim();
  } catch (error) {
    throw new Error(`its file cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function nameShown(name: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(name) ? name : "variable of that name";
}
