import path from "node:path";

import { InvalidArgumentError } from "commander";

import { emulatorAddress, tokenVariable } from "../../desired/config/defaults.ts";
import type { Host } from "../../host/host.ts";
import { existingOf } from "../output/new-files.ts";
import type { Questions } from "./questions.ts";

export interface InitFlags {
  readonly config: string;
  /** Patterns of zone names, or ids; none means all. */
  readonly zones: readonly string[];
  /** The address of an emulator; `true`: the default address. */
  readonly emulator?: string | boolean;
  readonly tokenFile?: string;
  readonly out?: string;
  /** `false`: no profile. */
  readonly profile?: string | false;
  readonly workflow?: boolean;
  readonly owners?: readonly string[];
  readonly yes: boolean;
}

/** What must be known before the service is asked anything. */
export interface StartAnswers {
  /** Whether there is a configuration, which stays as it is. */
  readonly keepsConfig: boolean;
  /** The address of the emulator; `undefined`: the service. */
  readonly emulator: string | undefined;
  /** The directory of the zone files. */
  readonly directory: string;
  /** The file that holds the token, where the environment does not. */
  readonly tokenFile: string | undefined;
}

/** Asks for the service, its token and the directory. */
export async function startAnswers(
  { config, emulator, tokenFile, out, yes }: InitFlags,
  questions: Questions,
  host: Host,
): Promise<StartAnswers> {
  const exists = (await existingOf([config], host.directory, host)).length > 0;
  // With --yes it is refused later, beside the other files that exist.
  const keepsConfig =
    exists && !yes && !(await questions.agrees(`${config} exists. Overwrite it?`, false));
  if (keepsConfig) return { keepsConfig, emulator: undefined, directory: "", tokenFile };
  const address = await questions.value(
    { text: serviceText, byDefault: "1", read: addressIn },
    addressOf(emulator),
  );
  const needsToken = address === "" && (host.env[tokenVariable] ?? "") === "";
  const file =
    needsToken && questions.areAsked
      ? await questions.value({ text: tokenText, byDefault: "", read: fileIn }, tokenFile)
      : tokenFile;
  const directory = await questions.value(
    { text: "Directory for the zone files", byDefault: "zones", read: directoryIn },
    out,
  );
  const service = address === "" ? undefined : address;
  return { keepsConfig, emulator: service, directory, tokenFile: file };
}

const serviceText =
  "Which service? 1: the service, with your token  2: the emulator, without an account";

const tokenText = "File with a read-only token (its name is not written to any file)";

/** The address of the emulator; "" for the service. */
function addressIn(answer: string): string {
  if (answer === "1") return "";
  if (answer === "2") return emulatorAddress;
  throw new InvalidArgumentError("Answer 1 or 2.");
}

function addressOf(flag: string | boolean | undefined): string | undefined {
  return flag === true ? emulatorAddress : flag === false ? "" : flag;
}

function fileIn(answer: string): string {
  if (answer !== "") return answer;
  throw new InvalidArgumentError(
    "Name a file, or stop with Ctrl-C and export ZONEWARDEN_API_TOKEN.",
  );
}

/** Reads the directory for the zone files: below the working directory, so that one repository holds everything. */
export function directoryIn(text: string): string {
  const directory = path.posix.normalize(text).replace(/\/$/, "");
  if (/^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(directory)) return directory;
  throw new InvalidArgumentError(
    "Use a directory below this one, of letters, digits, `.`, `_`, `-` and `/`.",
  );
}

/** Reads owners as CODEOWNERS has them; an empty text means none. */
export function ownersIn(text: string): readonly string[] {
  const owners = text.split(/[\s,]+/).filter((each) => each !== "");
  if (owners.every((each) => /^(?:@[\w-]+(?:\/[\w.-]+)?|[\w.+-]+@[\w.-]+)$/.test(each))) {
    return owners;
  }
  throw new InvalidArgumentError("Write users, teams or addresses: @user, @org/team, a@b.example.");
}
