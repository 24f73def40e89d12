import type { SecretSource } from "../desired/config.ts";
import type { Machine } from "./machine.ts";

/** Secrets are short; whatever is longer is no file with one. */
const longestSecret = 4_096;

/** Reads a secret anew: files are exchanged while the program runs. Rejects where there is none. */
export async function readSecret(source: SecretSource, machine: Machine): Promise<string> {
  if ("file" in source) {
    const signal = AbortSignal.timeout(5_000);
    const bytes = await machine.files.read(source.file, longestSecret, signal);
    return new TextDecoder().decode(bytes).trim();
  }
  const secret = machine.env[source.env]?.trim() ?? "";
  if (secret === "") throw new Error(`the environment has no ${source.env}`);
  return secret;
}
