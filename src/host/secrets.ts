import type { SecretSource } from "../desired/config/config.ts";
import { reasonOf } from "../desired/yaml/decode-text.ts";
import type { Host } from "./host.ts";

/** Secrets are short; whatever is longer is no file with one. */
const longestSecret = 4_096;

/** Reads a secret anew: files are exchanged while the program runs. Rejects where there is none. */
export async function readSecret(source: SecretSource, host: Host): Promise<string> {
  if ("file" in source) return readSecretFile(source.file, host);
  const secret = host.env[source.env]?.trim() ?? "";
  if (secret === "") throw new Error(`the environment has no ${nameShown(source.env)}`);
  return secret;
}

/** Neither path nor name are told where they may be the secret itself, written into the wrong key. */
async function readSecretFile(file: string, host: Host): Promise<string> {
  try {
    const bytes = await host.files.read(file, longestSecret, AbortSignal.timeout(5_000));
    return new TextDecoder().decode(bytes).trim();
  } catch (error) {
    throw new Error(`its file cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function nameShown(name: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(name) ? name : "variable of that name";
}
