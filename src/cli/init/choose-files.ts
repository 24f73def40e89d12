import type { Host } from "../../host/host.ts";
import { plural } from "../../render/format.ts";
import { firstOf } from "../../syntax/first-of.ts";
import { type ExitCode, fail } from "../output/exit-codes.ts";
import { existingOf, type NewFile } from "../output/new-files.ts";
import type { Questions } from "./questions.ts";

/** A file to write, and whether it may replace one. */
export interface Choice extends NewFile {
  readonly mayReplace: boolean;
}

interface Wanted {
  /** The configuration, which may replace one: the person has agreed, or it is refused here. */
  readonly configFile: readonly NewFile[];
  readonly zoneFiles: readonly NewFile[];
  readonly others: readonly NewFile[];
}

/** Decides which files are written. One that exists is replaced only where the person agrees, and refused otherwise. */
export async function chooseFiles(
  { configFile, zoneFiles, others }: Wanted,
  questions: Questions,
  host: Host,
): Promise<readonly Choice[] | ExitCode> {
  const all = [...configFile, ...zoneFiles, ...others];
  const names = all.map(({ file }) => file);
  const existing = new Set(await existingOf(names, host.directory, host));
  if (!questions.areAsked && existing.size > 0) return fail(existingText([...existing]), host);
  const found = zoneFiles.filter(({ file }) => existing.has(file));
  const overwrites = found.length > 0 && (await questions.agrees(zonesText(found), false));
  const choices: Choice[] = [];
  for (const file of all) {
    if (!existing.has(file.file)) choices.push({ ...file, mayReplace: false });
    else if (configFile.includes(file) || (overwrites && zoneFiles.includes(file))) {
      choices.push({ ...file, mayReplace: true });
    } else if (others.includes(file)) {
      const agrees = await questions.agrees(`${file.file} exists. Overwrite it?`, false);
      if (agrees) choices.push({ ...file, mayReplace: true });
    }
  }
  return choices;
}

function zonesText(found: readonly NewFile[]): string {
  const names = found.map(({ file }) => file);
  const verb = found.length === 1 ? "exists" : "exist";
  return `${plural(found.length, "zone file")} ${verb}: ${firstOf(names, 5)}. Overwrite?`;
}

function existingText(files: readonly string[]): string {
  return `init: these files exist, so nothing was written: ${firstOf(files, 10)}
Remove them, name other places (--config, --out, --no-workflow), or run zonewarden init on a terminal: it asks before it overwrites.`;
}
