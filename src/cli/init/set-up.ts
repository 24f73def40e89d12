import path from "node:path";

import { reasonOf } from "../../desired/yaml/decode-text.ts";
import { plural } from "../../render/format.ts";
import { errorCode } from "../../syntax/error-code.ts";
import { firstOf } from "../../syntax/first-of.ts";
import type { Zone } from "../../zone/zone.ts";
import { profileNameIn } from "../command-options.ts";
import { type ExitCode, exitCodeOfFailure, exitCodes, fail } from "../output/exit-codes.ts";
import { importedFiles } from "../output/imported-files.ts";
import { writeNew } from "../output/new-files.ts";
import {
  declaredIn,
  failureOfAll,
  importable,
  importZones,
  isComplete,
  printGaps,
} from "../session/import-zones.ts";
import { listZones, matchingZones } from "../session/listing.ts";
import type { Session } from "../session/session.ts";
import type { InitFlags } from "./answers.ts";
import { type Choice, chooseFiles } from "./choose-files.ts";
import { nextSteps } from "./next-steps.ts";
import type { Questions } from "./questions.ts";
import { repositoryAt, repositoryFiles } from "./repository.ts";

/** What was decided before the service was asked. */
export interface Given {
  readonly flags: InitFlags;
  readonly tokenFile: string | undefined;
  /** The configuration to write; `undefined` if the one that exists stays. */
  readonly configText: string | undefined;
}

interface Done {
  /** Whether the files declare everything that is live in the zones. */
  readonly isWhole: boolean;
  readonly nextSteps: string;
}

/** Imports the zones, asks what else to write, and writes all files; the exit code if nothing is written. */
export async function setUp(
  { flags, tokenFile, configText }: Given,
  questions: Questions,
  session: Session,
): Promise<Done | ExitCode> {
  const { host, config } = session;
  const listed = await listZones(session);
  const patterns = await patternsOf(flags, questions, listed.zones);
  const wanted = matchingZones(patterns, listed, host);
  if (wanted.length === 0) return exitCodes.failed;
  const imported = await importZones(wanted, importable, session);
  printGaps(imported, host);
  const failure = failureOfAll(imported);
  if (failure !== undefined) return exitCodeOfFailure(failure.code);
  const profile = await profileOf(flags, questions);
  const repository = await repositoryAt(flags.config, config.desired.path, host);
  const { files, ownersLines } = await repositoryFiles(repository, flags, questions, host);
  const directory = path.relative(host.directory, config.desired.path);
  const zoneFiles = importedFiles(declaredIn(imported), listed.zones, profile).map(
    ({ file, text }) => ({ file: path.join(directory, file), text }),
  );
  const configFile = configText === undefined ? [] : [{ file: flags.config, text: configText }];
  const chosen = await chooseFiles({ configFile, zoneFiles, others: files }, questions, host);
  if (typeof chosen === "number") return chosen;
  const written = await write(chosen, session);
  if (typeof written === "number") return written;
  const isWhole = listed.failed.length === 0 && imported.every(isComplete);
  const facts = { repository, written, ownersLines, tokenFile, files };
  return { isWhole, nextSteps: nextSteps(facts, session) };
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
  return questions.value({
    text,
    byDefault: "*",
    read: (answer) => answer.split(/[\s,]+/).filter((each) => each !== ""),
  });
}

/** The name of the profile; `undefined`: none. */
async function profileOf(
  { profile }: InitFlags,
  questions: Questions,
): Promise<string | undefined> {
  if (profile === false) return undefined;
  const name = await questions.value(
    {
      text: "Name of the profile for what the zones have in common; - for none",
      byDefault: "baseline",
      read: (answer) => (answer === "-" ? "" : profileNameIn(answer)),
    },
    profile,
  );
  return name === "" ? undefined : name;
}

/** Writes the files and prints their names; the exit code if one cannot be written. */
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
      const before = written.length === 0 ? "nothing" : written.join(", ");
      return fail(`init: ${each.file}: cannot be written: ${why}; written: ${before}`, host);
    }
    written.push(each.file);
    host.stdout.write(`${each.file}\n`);
  }
  return written;
}
