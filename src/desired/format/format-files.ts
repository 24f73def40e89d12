import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import type { Diagnostic } from "../../zone/diagnostic.ts";
import { redactedText } from "../file-kind.ts";
import type { FilePort } from "../file-system.ts";
import { configFileKind, zoneFileKind } from "../json-schema.ts";
import { readZoneFiles } from "../load/read-zone-files.ts";
import {
  type LoadedFiles,
  ZoneFileLoader,
  type ZoneFileLoaderOptions,
} from "../load/zone-file-loader.ts";
import { textOf } from "../yaml/decode-text.ts";
import { formattedText, notFormatted } from "./format-text.ts";

/** A file that is not in its one form. */
export interface UnformattedFile {
  /** Relative to the directory. */
  readonly file: string;
  /** Its absolute path. */
  readonly place: string;
  readonly before: string;
  readonly after: string;
}

/** The files at a path, compared with their one form. */
export interface ComparedFiles {
  readonly unformatted: readonly UnformattedFile[];
  /** Of the files that have no such form. */
  readonly diagnostics: readonly Diagnostic[];
  readonly directory: string;
  /** Redacted text of the files with diagnostics. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Compares the zone files at an absolute path, or one file there, with their one form. The form of
 * all files declares exactly what they declare, and suppresses the same warnings; a file whose form
 * does not is among the diagnostics.
 */
export async function compareWithForm(
  at: Pick<ZoneFileLoaderOptions, "path" | "files" | "clock">,
  signal: AbortSignal,
): Promise<ComparedFiles> {
  const set = await readZoneFiles(at.path, at.files, () => false, signal);
  if ("code" in set) {
    return { unformatted: [], diagnostics: [set], directory: at.path, sources: new Map() };
  }
  const unformatted: UnformattedFile[] = [];
  const diagnostics: Diagnostic[] = [];
  const sources = new Map<string, string>();
  for (const read of set.files) {
    const { file } = read;
    if ("diagnostic" in read) {
      diagnostics.push(read.diagnostic);
      continue;
    }
    const text = textOf(file, read.bytes);
    if (typeof text !== "string") {
      diagnostics.push(text);
      continue;
    }
    const { text: after, diagnostics: found } = formattedText(file, text);
    diagnostics.push(...found);
    const redacted = redactedText(text, zoneFileKind) || redactedText(text, configFileKind);
    if (redacted !== "") sources.set(file, redacted);
    if (after === undefined || Buffer.from(after).equals(read.bytes)) continue;
    unformatted.push({ file, place: path.resolve(set.directory, file), before: text, after });
  }
  const kept = await withSameMeaning(unformatted, at, signal);
  const changed = unformatted.filter((each) => !kept.includes(each));
  return {
    unformatted: kept,
    diagnostics: [...diagnostics, ...changed.map(({ file }) => notFormatted(file))],
    directory: set.directory,
    sources,
  };
}

/** The files whose form has the same effect: all of them, unless YAML has something that nobody has thought of. */
async function withSameMeaning(
  files: readonly UnformattedFile[],
  at: Pick<ZoneFileLoaderOptions, "path" | "files" | "clock">,
  signal: AbortSignal,
): Promise<readonly UnformattedFile[]> {
  if (files.length === 0 || (await meanTheSame(files, at, signal))) return files;
  const same: UnformattedFile[] = [];
  for (const file of files) {
    if (await meanTheSame([file], at, signal)) same.push(file);
  }
  return same;
}

async function meanTheSame(
  formatted: readonly UnformattedFile[],
  at: Pick<ZoneFileLoaderOptions, "path" | "files" | "clock">,
  signal: AbortSignal,
): Promise<boolean> {
  const after = new Map<string, string>();
  for (const each of formatted) after.set(await at.files.realpath(each.place), each.after);
  const files: FilePort = {
    ...at.files,
    read: async (place, limit, stop) => {
      const text = after.get(place);
      return text === undefined ? at.files.read(place, limit, stop) : Buffer.from(text);
    },
  };
  const [one, other] = [new ZoneFileLoader(at), new ZoneFileLoader({ ...at, files })];
  return isDeepStrictEqual(meaningOf(await one.load(signal)), meaningOf(await other.load(signal)));
}

/** What files declare, and their diagnostics. */
function meaningOf({ declaredHash, suppressed, diagnostics }: LoadedFiles): unknown {
  const found = diagnostics.map(({ code, place, path: where }) => `${place.file} ${code} ${where}`);
  return [declaredHash, suppressed, found.toSorted()];
}
