import path from "node:path";

import type { CheckedFile } from "../../history/verify/check-file.ts";
import { type HistoryCheck, verifyHistory } from "../../history/verify/verify-history.ts";
import type { Host } from "../../host/host.ts";
import { loadConfigOrPrint } from "../../host/load.ts";
import type { PrintFlags } from "../command-options.ts";
import { type ExitCode, exitCodes, fail } from "../output/exit-codes.ts";
import { proofIn, type ProofFlags } from "./plan-keys.ts";

/** Options of `history verify`. */
export interface VerifyFlags extends ProofFlags, PrintFlags {}

/** Checks history files, or the one of the configuration if none is named. Needs no network. */
export async function verifyHistoryFiles(
  named: readonly string[],
  { config, format, ...flags }: VerifyFlags,
  host: Host,
): Promise<ExitCode> {
  const proof = await proofIn(flags, host);
  if (typeof proof === "string") return fail(`history verify: ${proof}`, host);
  const found = named.length > 0 ? named : await configuredFile(config, host);
  if (typeof found === "number") return found;
  const files = found.map((file) => {
    const pieces = host.historyStore(path.resolve(host.directory, file)).read(0);
    return { file, pieces };
  });
  const check = await verifyHistory(files, proof);
  host.stdout.write(format === "json" ? jsonOf(check) : textOf(check));
  return check.flaws.length === 0 ? exitCodes.done : exitCodes.partial;
}

async function configuredFile(file: string, host: Host): Promise<readonly string[] | ExitCode> {
  const config = await loadConfigOrPrint(file, host, AbortSignal.timeout(10_000));
  if (config === undefined) return exitCodes.invalid;
  const { path: history } = config.history;
  if (history !== undefined) return [history];
  return fail(`history verify: ${file} sets no history.path; name the files to verify`, host);
}

/** Whether the files are as they were written, as far as the proof shows it. */
function resultOf({ flaws, remarks }: HistoryCheck): "intact" | "not_covered" | "changed" {
  if (flaws.length > 0) return "changed";
  return remarks.some(({ code }) => code === "not_covered") ? "not_covered" : "intact";
}

function jsonOf(check: HistoryCheck): string {
  const { files, flaws, remarks } = check;
  const report = {
    format: 1,
    result: resultOf(check),
    head: files.at(-1)?.seals.at(-1)?.hash ?? null,
    files: files.map(({ file, lines, chains, firstAt, lastAt, seals }) => ({
      file,
      lines,
      chains,
      first_at: firstAt?.toISOString() ?? null,
      last_at: lastAt?.toISOString() ?? null,
      first_number: seals[0]?.n ?? null,
      last_number: seals.at(-1)?.n ?? null,
      head: seals.at(-1)?.hash ?? null,
    })),
    flaws,
    remarks,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

/** Flaws that the text shows; the JSON has all. */
const shownFlaws = 50;

function textOf(check: HistoryCheck): string {
  const { files, flaws, remarks, covered } = check;
  const lines = files.map(fileText);
  for (const { file, line, code, message } of remarks) {
    lines.push(`${place(file, line)}: ${code}: ${message}`);
  }
  for (const { file, line, code, message } of flaws.slice(0, shownFlaws)) {
    lines.push(`${place(file, line)}: error: ${code}: ${message}`);
  }
  if (flaws.length > shownFlaws) lines.push(`… and ${flaws.length - shownFlaws} more`);
  lines.push(conclusions[resultOf(check)](flaws.length));
  if (flaws.length === 0 && covered === undefined) lines.push(unprovedText);
  return `${lines.join("\n")}\n`;
}

const conclusions = {
  intact: () =>
    "Intact: from the first line to the last, no line was changed, removed, inserted or moved.",
  not_covered: () =>
    "Not proved: the lines fit each other, but how the file begins is not covered by the head.",
  changed: (count: number) => `Not intact: ${count} ${count === 1 ? "finding" : "findings"}.`,
};

const unprovedText = `This does not show whether lines at the end were removed, or the whole file was written anew: compare with a head
that somebody else has kept (--head), or with the signatures (--verify-key).`;

function fileText({ file, lines, chains, firstAt, lastAt, seals }: CheckedFile): string {
  const times =
    firstAt === undefined || lastAt === undefined
      ? ""
      : `, ${firstAt.toISOString()} to ${lastAt.toISOString()}`;
  const last = seals.at(-1);
  const head = last === undefined ? "no head" : `head ${last.hash}, line ${last.n} of the chain`;
  return `${file}: ${lines} lines${times}; ${head} ${chains.join(", ")}`.trimEnd();
}

function place(file: string, line: number): string {
  return line === 0 ? file : `${file}:${line}`;
}
