import { readdir, readFile } from "node:fs/promises";

import type { Host } from "../../host/host.ts";
import { exitCodes, type ExitCode } from "../output/exit-codes.ts";

const directory = new URL("../../../schemas/", import.meta.url);
const suffix = ".schema.json";

/** `zonewarden schema`: prints the names of the schemas, or one of them. */
export async function schema(name: string | undefined, host: Host): Promise<ExitCode> {
  const files = await readdir(directory);
  const names = files
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length))
    .toSorted();
  if (name === undefined) {
    host.stdout.write(`${names.join("\n")}\n`);
    return exitCodes.done;
  }
  if (!names.includes(name)) {
    host.stderr.write(`schema: there is none called "${name}"; there are ${names.join(", ")}\n`);
    return exitCodes.failed;
  }
  host.stdout.write(await readFile(new URL(`${name}${suffix}`, directory), "utf8"));
  return exitCodes.done;
}
