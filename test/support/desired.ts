import {
  ZoneFileLoader,
  type LoadedFiles,
  type ZoneFileLoaderOptions,
} from "../../src/desired/load/zone-file-loader.ts";
import { systemClock } from "../../src/host/clock.ts";
import { memoryFiles, type MemoryDisk } from "./memory-files.ts";
import { problemLine } from "./problem-line.ts";

/** Files below `/zones` of a disk in memory, and what reads them. */
export interface DesiredBench {
  readonly disk: MemoryDisk;
  readonly load: () => Promise<LoadedFiles>;
}

/** Puts files into `/zones`. */
export function desiredBench(
  files: Readonly<Record<string, string | Uint8Array>>,
  only: Pick<ZoneFileLoaderOptions, "zones"> = {},
): DesiredBench {
  const disk = memoryFiles(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`/zones/${name}`, text])),
  );
  const desired = new ZoneFileLoader({
    path: "/zones",
    files: disk.port,
    clock: systemClock,
    ...only,
  });
  return { disk, load: () => desired.load(new AbortController().signal) };
}

/** What one file by itself says. */
export function loadText(text: string | Uint8Array): Promise<LoadedFiles> {
  return desiredBench({ "a.yaml": text }).load();
}

/** Problems as `2:3 CODE`, in order. */
export function codesOf({ diagnostics }: LoadedFiles): readonly string[] {
  return diagnostics.map(({ place, code }) => `${place.line}:${place.column} ${code}`);
}

/** Problems in one line each. */
export function linesOf({ diagnostics }: LoadedFiles): readonly string[] {
  return diagnostics.map((diagnostic) => problemLine(diagnostic, ""));
}

/** Names of the declared zones. */
export function zonesOf({ documents }: LoadedFiles): readonly string[] {
  return documents.map(({ target }) => {
    if (target.by === "selector") return `match ${(target.selector.name ?? []).join(" ")}`;
    return target.by === "name" ? target.name : target.id;
  });
}
