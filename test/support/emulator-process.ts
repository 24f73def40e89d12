import { writeFile } from "node:fs/promises";
import path from "node:path";

import { basePath } from "../../src/api/wire.ts";
import type { Seed } from "../../src/emulator/seed/seed.ts";
import { eventually, freePort, main, startProgram } from "./processes.ts";

/** An emulator in a process of its own, so that what is measured in this one is ours. */
export interface EmulatorProcess extends AsyncDisposable {
  readonly url: string;
  readonly baseUrl: string;
}

/** Starts an emulator with a seed, which it reads from a file in `directory`. */
export async function startEmulatorProcess(
  directory: string,
  seed: Seed,
): Promise<EmulatorProcess> {
  const file = path.join(directory, "seed.yaml");
  await writeFile(file, JSON.stringify(seed));
  const url = `http://127.0.0.1:${await freePort()}`;
  const listen = url.replace("http://", "");
  const running = startProgram(
    process.execPath,
    [main, "emulate", "--listen", listen, "--seed", file],
    { cwd: directory },
  );
  const asked = async (): Promise<true | undefined> => {
    const answer = await fetch(`${url}/_emulator/clock`).catch(() => undefined);
    return answer?.ok === true ? true : undefined;
  };
  await eventually("the emulator answers", asked, 120).catch((cause: unknown) => {
    throw new Error(`the emulator did not start:\n${running.output()}`, { cause });
  });
  return {
    url,
    baseUrl: `${url}${basePath}`,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
