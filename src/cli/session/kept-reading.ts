import { createHmac } from "node:crypto";
import path from "node:path";

import { KeptAnswers } from "../../api/read/kept-answers.ts";
import { sha256 } from "../../syntax/digest.ts";
import { errorCode } from "../../syntax/error-code.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { shownPath } from "../output/files.ts";
import { longTotal } from "../output/progress.ts";
import type { Session } from "./session.ts";

/** What a command has read of zones. Disposed before its end, it says from where the same command continues. */
export interface KeptReading extends AsyncDisposable {
  readonly answers: KeptAnswers;
  /** Writes down what was read since the last call. */
  readonly save: () => Promise<void>;
  /** The command needs it no more. */
  readonly end: () => Promise<void>;
}

/** More than ten thousand zones need. */
const maxBytes = 512 * 1024 * 1024;

/**
 * Keeps what is read of zones in memory, and of many zones in a file next to the directory of their files too.
 *
 * @param directory absolute; `undefined`: no files are written.
 */
export async function readingFor(
  wanted: readonly Zone[],
  directory: string | undefined,
  session: Session,
): Promise<KeptReading> {
  if (directory !== undefined && wanted.length > longTotal) return keepInFile(directory, session);
  const answers = new KeptAnswers(session.host.clock);
  return { answers, save: nothing, end: nothing, [Symbol.asyncDispose]: nothing };
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

/**
 * Keeps what is read in a file next to a directory too, and takes up what is in it. Only its owner may read the file, and
 * each line is sealed with the tokens and the address of the service: what anybody else wrote, or was read elsewhere, is
 * ignored.
 */
async function keepInFile(directory: string, session: Session): Promise<KeptReading> {
  const { host } = session;
  const { namedFiles: files } = host;
  const file = path.join(path.dirname(directory), `.${path.basename(directory)}.reading`);
  const sealOf = await sealing(session);
  let waiting = "";
  const answers = new KeptAnswers(host.clock, (line) => {
    waiting += `${sealOf(line)} ${line}\n`;
  });
  let isKept = false;
  let isEmpty = true;
  try {
    await files.makeDirectory(path.dirname(file));
    const text = (await files.readPrivate(file, maxBytes)) ?? "";
    const ours = text.split("\n").filter((line) => line.startsWith(`${sealOf(line.slice(65))} `));
    for (const line of ours) answers.restore(line.slice(65));
    await files.remove(file);
    await files.create(file, ours.map((line) => `${line}\n`).join(""), true);
    isKept = true;
    isEmpty = ours.length === 0;
  } catch (error) {
    cannotKeep(error);
  }
  let saving = Promise.resolve();
  const write = async (): Promise<void> => {
    const text = waiting;
    waiting = "";
    if (!isKept || text === "") return;
    try {
      await files.append(file, text);
      isEmpty = false;
    } catch (error) {
      isKept = false;
      cannotKeep(error);
    }
  };
  const save = (): Promise<void> => (saving = saving.then(write));
  const end = async (): Promise<void> => {
    await save();
    if (isKept) await files.remove(file);
    isKept = false;
  };
  return {
    answers,
    save,
    end,
    [Symbol.asyncDispose]: async () => {
      await save();
      if (isEmpty) await end();
      if (!isKept) return;
      host.stderr.write(
        `what was read is in ${shownPath(file, host)}: the same command continues with it within an hour\n`,
      );
    },
  };

  function cannotKeep(error: unknown): void {
    const code = errorCode(error);
    if (code === "") throw error;
    host.stderr.write(
      `${shownPath(file, host)}: cannot be written (${code}): an interrupted command starts again\n`,
    );
  }
}

/** Seals a line: 64 hexadecimal digits that nobody can compute without the tokens. */
async function sealing({ service, baseUrl }: Session): Promise<(line: string) => string> {
  const tokens = service.credentials.map(async (credential) => {
    try {
      return (await credential.token()).authorization;
    } catch (error) {
      // Its zones cannot be listed either.
      if (!(error instanceof ServiceError)) throw error;
      return "";
    }
  });
  const key = sha256(JSON.stringify(["kept reading", baseUrl, ...(await Promise.all(tokens))]));
  return (line) => createHmac("sha256", key).update(line).digest("hex");
}
