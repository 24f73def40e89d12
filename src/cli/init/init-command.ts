import path from "node:path";

import { InvalidArgumentError } from "commander";

import type { Config } from "../../desired/config/config.ts";
import { emulatorAddress, tokenVariable } from "../../desired/config/defaults.ts";
import { reasonOf } from "../../desired/yaml/decode-text.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import { readText } from "../../host/named-files.ts";
import { plural } from "../../render/format.ts";
import { errorCode } from "../../syntax/error-code.ts";
import { firstOf } from "../../syntax/first-of.ts";
import type { StopSignals } from "../../zone/signals.ts";
import type { Zone, ZoneListing } from "../../zone/zone.ts";
import type { DefineCommand } from "../command-options.ts";
import { printPlan } from "../commands/plan-command.ts";
import { type ExitCode, exitCodeOfFailure, exitCodes, fail } from "../output/exit-codes.ts";
import { existingOf, type NewFile, writeNew } from "../output/files.ts";
import { isEmulator } from "../session/embedded-emulator.ts";
import {
  declaredTwice,
  gapsText,
  importable,
  importedFiles,
  importZones,
  layoutHelp,
  layouts,
  writtenFilesText,
  zoneFilesOf,
  type ZoneLayout,
} from "../session/import-zones.ts";
import { readingFor } from "../session/kept-reading.ts";
import { listZones, matchingZones } from "../session/listing.ts";
import { planAll } from "../session/plan-all.ts";
import { inSession, type Session, withSignals } from "../session/session.ts";
import { Questions, Unanswered } from "./questions.ts";
import {
  configText,
  type Facts,
  nextSteps,
  ownersFiles,
  type Repository,
  ownersText,
  workflowFile,
  workflowText,
} from "./starter-files.ts";

export const defineInit: DefineCommand = (command, host) => {
  command
    .argument("[zones...]", "import only these zones (names, in which * matches anything, or ids)")
    .configFile()
    .option(
      "--emulator [address]",
      `use the emulator of the service at this address; without one, ${emulatorAddress}`,
    )
    .option(
      "--token-file <file>",
      "read the token from this file now; its name is not written to any file",
    )
    .option("-o, --out <directory>", "the directory for the zone files (zones)", directoryIn)
    .choice("--layout <layout>", `${layoutHelp} (profiles)`, layouts)
    .option("--workflow", "write a GitHub Actions workflow that checks pull requests (yes)")
    .option("--no-workflow", "write no workflow")
    .option("--owners <owners>", "who must approve changes: @user,@org/team", ownersIn)
    .option("-y, --yes", "ask nothing, and take the defaults; overwrites nothing", false)
    .examples(
      "zonewarden init                          # asks on the terminal",
      "zonewarden init --yes --owners @acme/security",
      "zonewarden init --yes --emulator         # without an account",
      "zonewarden init '*.example.com' --token-file ../token --no-workflow",
    )
    .runs((zones: readonly string[], flags: Omit<InitFlags, "zones">) =>
      init({ ...flags, zones }, host),
    );
};

interface InitFlags {
  readonly config: string;
  /** Patterns of zone names, or ids; none means all. */
  readonly zones: readonly string[];
  /** The address of an emulator; `true`: the default address. */
  readonly emulator?: string | boolean;
  readonly tokenFile?: string | undefined;
  readonly out?: string;
  readonly layout?: ZoneLayout;
  readonly workflow?: boolean;
  readonly owners?: readonly string[];
  readonly yes: boolean;
}

/** Writes the files of a new set-up, and plans. Nothing is written before every question is answered. */
async function init(flags: InitFlags, host: Host): Promise<ExitCode> {
  if (!flags.yes && !host.isInteractive) return fail(inPipeText, host);
  return withSignals(host, async (signals) => {
    try {
      return await start(flags, host, signals);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      return fail("init: stopped; nothing was written", host);
    }
  });
}

const inPipeText = `init: it asks on a terminal, and there is none here. To take the defaults:
  zonewarden init --yes              # with your token in ZONEWARDEN_API_TOKEN, or with --token-file FILE
  zonewarden init --yes --emulator   # without an account
zonewarden init --help lists what you can set.`;

async function start(flags: InitFlags, host: Host, signals: StopSignals): Promise<ExitCode> {
  const questions = new Questions(host, !flags.yes, signals.stop);
  const { text, tokenFile } = await startAnswers(flags, questions, host);
  const config = await configOf(flags.config, text, host, signals.stop);
  if (config === undefined) return exitCodes.invalid;
  const why = text === undefined ? contradiction(flags, config, host) : undefined;
  if (why !== undefined) return fail(`init: ${why}`, host);
  const runs = config.api.emulator !== undefined && (await isEmulator(config.api.baseUrl));
  if (typeof flags.emulator === "string" && text !== undefined && !runs) {
    return fail(noEmulatorText(flags.emulator), host);
  }
  const withToken = await hostWithToken(tokenFile, config, host);
  if (typeof withToken === "string") return fail(`init: ${withToken}`, host);
  return inSession(config, withToken, signals, async (session) => {
    const configFile = text === undefined ? [] : [{ file: flags.config, text }];
    const given = { ...flags, tokenFile, emulatorRuns: runs };
    const done = await setUp(configFile, given, questions, session);
    if (typeof done === "number") return done;
    // Empty, unless the files that were there already declare something else. What was read is not requested again.
    const { listing, service } = done;
    const before = { listing, zones: [] };
    const plan = {
      config: flags.config,
      format: "text",
      zones: [],
      onlyReads: true,
      before,
    } as const;
    const fleet = await planAll(plan, { ...session, service });
    const code =
      typeof fleet === "number" ? fleet : await printPlan(fleet, plan, session, undefined);
    host.stdout.write(done.nextSteps);
    return code === exitCodes.done && !done.isWhole ? exitCodes.partial : code;
  });
}

/**
 * Asks for the service, its token and the directory.
 *
 * @returns the text of the configuration, `undefined` if the one that exists stays, and the file that holds the token,
 * where the environment does not.
 */
async function startAnswers(
  { config, emulator, tokenFile, out, yes }: InitFlags,
  questions: Questions,
  host: Host,
): Promise<{ readonly text: string | undefined; readonly tokenFile: string | undefined }> {
  const exists = (await existingOf([config], host.directory, host)).length > 0;
  const isKept =
    exists && (yes || !(await questions.agrees(`${config} exists. Overwrite it?`, false)));
  if (isKept) return { text: undefined, tokenFile };
  const address = await questions.value(
    {
      text: "Which service? 1: the service, with your token  2: the emulator, without an account",
      byDefault: "1",
      read: addressIn,
    },
    emulator === true ? emulatorAddress : emulator === false ? "" : emulator,
  );
  const needsToken = address === "" && (host.env[tokenVariable] ?? "") === "";
  const tokenText = "File with a read-only token (its name is not written to any file)";
  const file =
    needsToken && questions.areAsked
      ? await questions.value({ text: tokenText, byDefault: "", read: fileIn }, tokenFile)
      : tokenFile;
  const directory = await questions.value(
    { text: "Directory for the zone files", byDefault: "zones", read: directoryIn },
    out,
  );
  const zoneFiles = path.relative(path.dirname(config), directory);
  return { text: configText(address, zoneFiles), tokenFile: file };
}

/** Why flags do not fit a configuration that stays; `undefined` if they do. */
function contradiction(
  { config: file, emulator, out }: InitFlags,
  { api, desired }: Config,
  { directory }: Host,
): string | undefined {
  const remedy = `the configuration says otherwise: change or remove ${file}, or leave out the flag`;
  if (out !== undefined && path.resolve(directory, out) !== desired.path) {
    return `--out ${out}: ${remedy}`;
  }
  const address = emulator === true ? emulatorAddress : emulator;
  if (typeof address !== "string") return undefined;
  return new URL(api.baseUrl).host === address ? undefined : `--emulator ${address}: ${remedy}`;
}

/** The address of the emulator; "" for the service. */
function addressIn(answer: string): string {
  if (answer === "1") return "";
  if (answer === "2") return emulatorAddress;
  throw new InvalidArgumentError("Answer 1 or 2.");
}

function fileIn(answer: string): string {
  if (answer !== "") return answer;
  throw new InvalidArgumentError(
    "Name a file, or stop with Ctrl-C and export ZONEWARDEN_API_TOKEN.",
  );
}

/** Reads the directory for the zone files: below the working directory, so that one repository holds everything. */
function directoryIn(text: string): string {
  const directory = path.posix.normalize(text).replace(/\/$/, "");
  if (/^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(directory)) return directory;
  throw new InvalidArgumentError(
    "Use a directory below this one, of letters, digits, `.`, `_`, `-` and `/`.",
  );
}

/** Reads owners as CODEOWNERS has them; an empty text means none. */
function ownersIn(text: string): readonly string[] {
  const owners = wordsIn(text);
  if (owners.every((each) => /^(?:@[\w-]+(?:\/[\w.-]+)?|[\w.+-]+@[\w.-]+)$/.test(each))) {
    return owners;
  }
  throw new InvalidArgumentError("Write users, teams or addresses: @user, @org/team, a@b.example.");
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((each) => each !== "");
}

/** The configuration that will be written, checked as if it were there; the one that exists without a text. */
function configOf(
  file: string,
  text: string | undefined,
  host: Host,
  stop: AbortSignal,
): Promise<Config | undefined> {
  const place = path.resolve(host.directory, file);
  const files: Host["files"] = {
    ...host.files,
    read: (name, limit, signal) =>
      name === place && text !== undefined
        ? Promise.resolve(new TextEncoder().encode(text))
        : host.files.read(name, limit, signal),
  };
  return loadConfigOrPrint(file, { ...host, files }, stop);
}

/** The host with the token of a file in its environment; a text says why there is no token. */
async function hostWithToken(
  file: string | undefined,
  { api, credentials }: Config,
  host: Host,
): Promise<Host | string> {
  if (file !== undefined) {
    const { text, why } = await readText(file, host);
    if (text === undefined) return `${file}: cannot be read: ${why}; name the file with the token`;
    if (text.trim() === "") return `${file}: the file is empty; it must hold the token`;
    return { ...host, env: { ...host.env, [tokenVariable]: text.trim() } };
  }
  const isKnown = credentials.every(
    ({ source }) => !("env" in source) || (host.env[source.env]?.trim() ?? "") !== "",
  );
  return isKnown || api.emulator !== undefined ? host : noTokenText;
}

const noTokenText = `there is no token: export ${tokenVariable}, or add --token-file FILE. It needs read permissions only.
To try zonewarden without an account: zonewarden init --emulator`;

function noEmulatorText(address: string): string {
  return `init: no emulator listens on ${address}; start one in another terminal: zonewarden emulate --listen ${address}`;
}

interface Done {
  readonly listing: ZoneListing;
  /** The service, of which nothing is requested that the import has read. */
  readonly service: Session["service"];
  /** Whether the files declare everything that is live in the zones. */
  readonly isWhole: boolean;
  readonly nextSteps: string;
}

/** Imports the zones, asks what else to write, and writes all files; the exit code if nothing is written. */
async function setUp(
  configFile: readonly NewFile[],
  flags: InitFlags & Pick<Facts, "emulatorRuns">,
  questions: Questions,
  session: Session,
): Promise<Done | ExitCode> {
  const { host, config } = session;
  const listed = await listZones(session);
  const wanted = matchingZones(await patternsOf(flags, questions, listed.zones), listed, host);
  if (wanted.length === 0) return exitCodes.failed;
  // A person is asked now, and not after minutes of reading.
  const layout = await layoutOf(flags, questions);
  const repository = await repositoryAt(flags.config, config.desired.path, host);
  const { files, ownersLines } = await repositoryFiles(repository, flags, questions, host);
  const directory = path.relative(host.directory, config.desired.path);
  if (!questions.areAsked) {
    const expected = zoneFilesOf(wanted, listed.zones).map((file) => path.join(directory, file));
    const names = [...expected, ...files.map(({ file }) => file)];
    const existing = await existingOf(names, host.directory, host);
    if (existing.length > 0) return fail(existingText(existing), host);
  }
  await using reading = await readingFor(wanted, config.desired.path, session);
  const { declared, gaps, failure } = await importZones(wanted, importable, reading, session);
  host.stderr.write(gapsText(gaps));
  if (failure !== undefined) return exitCodeOfFailure(failure.code);
  const imported = importedFiles(declared, listed.zones, layout);
  const own = imported.map(({ file }) => file);
  const twice = await declaredTwice(declared, own, config.desired.path, session);
  if (twice !== undefined) return fail(`init: nothing was written: ${twice}`, host);
  const zoneFiles = imported.map(({ file, text }) => ({
    file: path.join(directory, file),
    text,
  }));
  const chosen = await chooseFiles(configFile, zoneFiles, files, questions, host);
  if (typeof chosen === "number") return chosen;
  const written = await write(chosen, session);
  if (typeof written === "number") return written;
  host.stdout.write(writtenText(written, directory));
  await reading.end();
  const reader = session.service.reader.keepingIn(reading.answers);
  const isWhole = listed.failed.length === 0 && gaps.length === 0;
  const { tokenFile, emulatorRuns } = flags;
  const facts = { repository, written, ownersLines, tokenFile, files, emulatorRuns };
  return {
    listing: listed,
    service: { ...session.service, reader },
    isWhole,
    nextSteps: nextSteps(facts, session),
  };
}

/** Asks which zones to import, where no argument says it. */
async function patternsOf(
  { zones }: InitFlags,
  questions: Questions,
  listed: readonly Zone[],
): Promise<readonly string[]> {
  if (zones.length > 0 || listed.length === 0 || !questions.areAsked) return zones;
  const names = listed.map(({ name }) => name);
  const text = `The token sees ${plural(names.length, "zone")} (${firstOf(names, 5)}). Which to import? Names, with * for anything`;
  return questions.value({ text, byDefault: "*", read: wordsIn });
}

async function layoutOf({ layout }: InitFlags, questions: Questions): Promise<ZoneLayout> {
  if (layout !== undefined) return layout;
  const text = "Put what several zones have into profiles?";
  return (await questions.agrees(text, true)) ? "profiles" : "files";
}

async function repositoryAt(config: string, directory: string, host: Host): Promise<Repository> {
  const [configInIt = "", directoryInIt = ""] = [config, directory].map((file) =>
    path.relative(host.directory, path.resolve(host.directory, file)),
  );
  const facts = { config: configInIt, directory: directoryInIt };
  for (let place = host.directory; ; place = path.dirname(place)) {
    if (await host.namedFiles.exists(path.join(place, ".git"))) {
      return { ...facts, root: path.relative(host.directory, place) };
    }
    if (path.dirname(place) === place) return { ...facts, root: undefined };
  }
}

/**
 * Asks which files GitHub gets. They belong to the root of the repository: elsewhere, GitHub does not read them.
 *
 * @returns the files, and the lines for a CODEOWNERS that exists already, which is never rewritten.
 */
async function repositoryFiles(
  { root = "", config, directory }: Repository,
  { workflow, owners }: InitFlags,
  questions: Questions,
  host: Host,
): Promise<{ readonly files: readonly NewFile[]; readonly ownersLines: string }> {
  if (root !== "" || [config, directory].some((each) => each.startsWith(".."))) {
    const where = "in the root of the repository, with the files below it";
    host.stderr.write(
      `no workflow and no CODEOWNERS are written: GitHub reads them only ${where}\n`,
    );
    return { files: [], ownersLines: "" };
  }
  const workflowQuestion = `Write ${workflowFile}, which checks pull requests on GitHub?`;
  const hasWorkflow = await questions.agrees(workflowQuestion, true, workflow);
  const text = "Who must approve changes on GitHub? @user or @org/team; empty for nobody";
  const approvers = await questions.value({ text, byDefault: "", read: ownersIn }, owners);
  const lines = approvers.length === 0 ? "" : ownersText(config, directory, approvers);
  const hasOwners = (await existingOf(ownersFiles, host.directory, host)).length > 0;
  const files = [
    ...(hasWorkflow ? [{ file: workflowFile, text: workflowText(config) }] : []),
    ...(lines === "" || hasOwners ? [] : [{ file: ownersFiles[0], text: lines }]),
  ];
  return { files, ownersLines: hasOwners ? lines : "" };
}

/** A file to write, and whether it replaces one. */
interface Choice extends NewFile {
  readonly mayReplace: boolean;
}

/**
 * Decides which files are written. One that exists is replaced only where the person agrees, and refused otherwise.
 *
 * @param configFile which the person has agreed to replace, if anybody was asked.
 */
async function chooseFiles(
  configFile: readonly NewFile[],
  zoneFiles: readonly NewFile[],
  others: readonly NewFile[],
  questions: Questions,
  host: Host,
): Promise<readonly Choice[] | ExitCode> {
  const all = [...configFile, ...zoneFiles, ...others];
  const names = all.map(({ file }) => file);
  const existing = new Set(await existingOf(names, host.directory, host));
  if (!questions.areAsked && existing.size > 0) return fail(existingText([...existing]), host);
  const replaced = new Set(configFile);
  const found = zoneFiles.filter(({ file }) => existing.has(file));
  if (found.length > 0 && (await questions.agrees(zonesText(found), false))) {
    for (const each of found) replaced.add(each);
  }
  for (const each of others.filter(({ file }) => existing.has(file))) {
    if (await questions.agrees(`${each.file} exists. Overwrite it?`, false)) replaced.add(each);
  }
  return all
    .map((each) => ({ ...each, mayReplace: existing.has(each.file) && replaced.has(each) }))
    .filter(({ file, mayReplace }) => mayReplace || !existing.has(file));
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

async function write(
  chosen: readonly Choice[],
  { host }: Session,
): Promise<readonly string[] | ExitCode> {
  const written: string[] = [];
  for (const { mayReplace, ...each } of chosen) {
    try {
      await writeNew(each, host.directory, host, mayReplace);
    } catch (error) {
      const code = errorCode(error);
      if (code === "") throw error;
      const why = code === "EEXIST" ? "it exists" : reasonOf(error);
      const before = written.length === 0 ? "nothing" : firstOf(written, 10);
      return fail(`init: ${each.file}: cannot be written: ${why}; written: ${before}`, host);
    }
    written.push(each.file);
  }
  return written;
}

/** The files in the order in which they were written; many zone files are counted. */
function writtenText(written: readonly string[], directory: string): string {
  const isZoneFile = (file: string): boolean => file.startsWith(`${directory}${path.sep}`);
  const first = written.findIndex(isZoneFile);
  const others = written.filter((file) => !isZoneFile(file));
  const lines = others.map((file) => `${file}\n`);
  const zoneFiles = writtenFilesText(written.filter(isZoneFile), directory);
  return lines.toSpliced(first, 0, first === -1 ? "" : zoneFiles).join("");
}
