import { readdir, readFile } from "node:fs/promises";

import type { Host } from "../../host/host.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";

export const defineSchema: DefineCommand = (command, host) => {
  command
    .argument("[name]", "the schema; without it, print the names of all schemas")
    .examples("zonewarden schema", "zonewarden schema zones > zones.schema.json")
    .runs((name: string | undefined) => printSchema(name, host));
};

const directory = new URL("../../../schemas/", import.meta.url);
const suffix = ".schema.json";

async function printSchema(name: string | undefined, host: Host): Promise<ExitCode> {
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
    return fail(
      `schema: no schema has the name "${name}"; the names are ${names.join(", ")}`,
      host,
    );
  }
  host.stdout.write(await readFile(new URL(`${name}${suffix}`, directory), "utf8"));
  return exitCodes.done;
}
