import { cp } from "node:fs/promises";
import path from "node:path";

import type { Workplace } from "../support/command-line.ts";

const example = path.resolve(import.meta.dirname, "../../config.example");

/** The address of the service is the same in each run, so that the state is of the same service. */
export const frozenConfig = `version: 1
mode: enforce
api: { emulator: { seed: emulator.yaml, listen: "127.0.0.1:0" } }
desired: { path: zones }
server: { listen: "127.0.0.1:0" }
store: { path: state }
log: { format: json }
`;

/** Copies the zone files and the seed of the example. */
export async function copyExample({ directory }: Workplace): Promise<void> {
  for (const each of ["zones", "emulator.yaml"]) {
    await cp(path.join(example, each), path.join(directory, each), { recursive: true });
  }
}
