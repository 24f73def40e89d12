import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Writes a file as a whole, with the directories that lead to it: beside the place and then renamed, so that nobody
 * reads half a file. The name beside begins with a dot, as no zone file's does.
 */
export async function saveFile(file: string, text: string): Promise<void> {
  const directory = path.dirname(file);
  await mkdir(directory, { recursive: true });
  const beside = path.join(directory, `.${randomUUID()}.tmp`);
  try {
    await writeFile(beside, text, { flag: "wx" });
    await rename(beside, file);
  } finally {
    await rm(beside, { force: true });
  }
}
