import { withoutSecrets } from "../syntax/without-secrets.ts";
import type { Place } from "../zone/desired-zone.ts";
import { diagnosticCodes } from "../zone/diagnostic-codes.ts";
import type { DiagnosticCode } from "../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { pathText } from "./yaml/path.ts";
import type { Path } from "./yaml/path.ts";
import { placeAt } from "./yaml/source.ts";
import type { Source } from "./yaml/source.ts";

/** More problems of a file are never read, and a hostile one could have a million. */
export const maxProblems = 100;

/** What is wrong, and what would be right. */
export interface Words {
  readonly message: string;
  readonly remedy: string;
}

/** A problem of `code` at an offset of a file, as severe as the table of codes says. */
export function problemOf(
  source: Source,
  code: DiagnosticCode,
  offset: number,
  path: Path,
  { message, remedy }: Words,
): Diagnostic {
  const { severity } = diagnosticCodes[code];
  return {
    code,
    severity,
    place: placeAt(source, offset),
    path: pathText(path),
    message: withoutSecrets(message),
    remedy: withoutSecrets(remedy),
  };
}

/** A problem of a document as a whole, which only the zones of the service show. */
export function problemAt(place: Place, code: DiagnosticCode, words: Words): Diagnostic {
  return { code, severity: diagnosticCodes[code].severity, place, path: "", ...words };
}

/** A problem of a file or directory as a whole. */
export function problemOfFile(file: string, code: DiagnosticCode, words: Words): Diagnostic {
  return problemOf({ file, starts: [0] }, code, 0, [], words);
}
