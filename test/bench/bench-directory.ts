import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Makes an empty directory, which is removed when it is disposed. */
export async function benchDirectory(): Promise<AsyncDisposable & { readonly directory: string }> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-bench-"));
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}

const zonesInFile = 50;

/** Writes zone files that declare a large fleet, 50 zones each; `textOf` gives the text of a file with some zones. */
export async function writeZoneFiles(
  zones: string,
  names: readonly string[],
  textOf: (names: readonly string[]) => string,
): Promise<void> {
  await mkdir(zones, { recursive: true });
  for (let first = 0; first < names.length; first += zonesInFile) {
    const text = textOf(names.slice(first, first + zonesInFile));
    await writeFile(path.join(zones, `team-${first / zonesInFile}.yaml`), text);
  }
}
