import path from "node:path";

import type { FilePort } from "../../desired/file-system.ts";
import { compareWithForm, type UnformattedFile } from "../../desired/format/format-files.ts";
import { maxFileSize } from "../../desired/yaml/decode-text.ts";
import type { Host } from "../../host/host.ts";
import { hasErrors, printDiagnostics, readConfig } from "../../host/load.ts";
import { unifiedDiff } from "../../render/line-diff.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { isWritten, shownPath } from "../output/files.ts";

export const defineFmt: DefineCommand = (command, host) => {
  command
    .argument(
      "[paths...]",
      "files, or directories with zone files; - formats standard input; by default the configuration and its zone files",
    )
    .configFile()
    .option("--check", "write nothing, and exit with 2 if a file is not in the form", false)
    .option("--diff", "write nothing, and print what would change", false)
    .examples(
      "zonewarden fmt",
      "zonewarden fmt zones/shop.yaml",
      "zonewarden fmt --check --diff    # in a pipeline",
      "zonewarden fmt - < draft.yaml",
    )
    .runs((paths: readonly string[], flags: FmtFlags) => fmt(paths, flags, host));
};

interface FmtFlags {
  readonly config: string;
  readonly check: boolean;
  readonly diff: boolean;
}

/** @param paths of files and directories, instead of those of the configuration; `-` stands for standard input */
async function fmt(paths: readonly string[], flags: FmtFlags, host: Host): Promise<ExitCode> {
  const { signal } = new AbortController();
  if (paths.includes("-")) {
    return paths.length === 1
      ? await fmtInput(flags, host, signal)
      : fail("fmt: - stands alone: name either files or standard input", host);
  }
  const places =
    paths.length > 0
      ? paths.map((each) => path.resolve(host.directory, each))
      : await configuredPlaces(flags, host, signal);
  if (places === undefined) return exitCodes.invalid;
  let [isUnformatted, isBroken] = [false, false];
  for (const place of places) {
    const { files, clock } = host;
    const compared = await compareWithForm({ path: place, files, clock }, signal);
    printDiagnostics(compared, host, host.stderr);
    if (!(await format(compared.unformatted, flags, host))) return exitCodes.failed;
    isBroken ||= hasErrors(compared.diagnostics);
    isUnformatted ||= compared.unformatted.length > 0;
  }
  return exitCodeOf(isBroken, flags.check && isUnformatted);
}

/** Writes the files, or prints what would change; `false` if one cannot be written. */
async function format(
  files: readonly UnformattedFile[],
  { check, diff }: FmtFlags,
  host: Host,
): Promise<boolean> {
  for (const { place, before, after } of files) {
    const name = shownPath(place, host);
    const isOnlyShown = check || diff;
    if (
      !isOnlyShown &&
      !(await isWritten(place, host, (file) => host.namedFiles.save(file, after)))
    ) {
      return false;
    }
    host.stdout.write(diff ? unifiedDiff(name, before, after) : `${name}\n`);
  }
  return true;
}

function exitCodeOf(isBroken: boolean, isUnformatted: boolean): ExitCode {
  if (isBroken) return exitCodes.invalid;
  return isUnformatted ? exitCodes.changes : exitCodes.done;
}

/** The configuration and its zone files; `undefined` if it is too broken to say where they are. */
async function configuredPlaces(
  { config: file }: FmtFlags,
  host: Host,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const loaded = await readConfig(file, host, signal);
  if (loaded.config === undefined) printDiagnostics(loaded, host, host.stderr);
  return loaded.config && [path.resolve(host.directory, file), loaded.config.desired.path];
}

/** Prints the form of standard input. */
async function fmtInput(
  { check, diff }: FmtFlags,
  host: Host,
  signal: AbortSignal,
): Promise<ExitCode> {
  const bytes = await host.namedFiles.read("/dev/stdin", maxFileSize + 1);
  const compared = await compareWithForm(
    { path: inputPath, files: inputPort(bytes), clock: host.clock },
    signal,
  );
  printDiagnostics({ ...compared, directory: "" }, host, host.stderr);
  if (hasErrors(compared.diagnostics)) return exitCodes.invalid;
  const text = new TextDecoder().decode(bytes);
  const { before, after } = compared.unformatted[0] ?? { before: text, after: text };
  if (diff) host.stdout.write(unifiedDiff("stdin", before, after));
  else if (!check) host.stdout.write(after);
  return exitCodeOf(false, check && compared.unformatted.length > 0);
}

const inputPath = "/stdin";

function inputPort(bytes: Uint8Array): FilePort {
  return {
    realpath: (place) => Promise.resolve(place),
    list: () => Promise.resolve([]),
    facts: () => Promise.resolve({ kind: "file", size: bytes.length, inode: "", identity: "" }),
    read: (_place, limit) => Promise.resolve(bytes.subarray(0, limit)),
  };
}
