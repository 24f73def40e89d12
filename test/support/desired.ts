import {
  ZoneFileLoader,
  type LoadedFiles,
  type ZoneFileLoaderOptions,
} from "../../src/desired/load/zone-file-loader.ts";
import { systemClock } from "../../src/host/clock.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { RulePhase } from "../../src/zone/rule-phase.ts";
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

/** What a text declares for its first zone, which has no error. */
export async function contentOf(text: string): Promise<ZoneContent> {
  const { documents, diagnostics } = await loadText(text);
  const [document] = documents;
  if (document === undefined) throw new Error(JSON.stringify(diagnostics));
  return document.content;
}

/** A zone file with rules of a phase, one in each line. */
export function rulesIn(phase: RulePhase, ...rules: readonly string[]): string {
  return `zones:\n  - name: a.example\n    ${phase}:\n      rules:\n${rules.map((rule) => `        - ${rule}\n`).join("")}`;
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
