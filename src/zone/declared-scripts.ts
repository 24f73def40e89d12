/** How the content of an authorised script is checked. `pinned`: it stays as it was when the script was approved. */
export type ScriptIntegrity =
  | { readonly by: "any" }
  | { readonly by: "pinned" }
  | {
      readonly by: "hashes";
      /** SHA-256, as hexadecimal digits in lower case. */
      readonly hashes: readonly string[];
    };

/** A script that may run on the declared pages. A text that a person has not filled in yet is "". */
export interface AuthorisedScript {
  /** Pattern of URLs as it is written, which identifies the entry. */
  readonly url: string;
  readonly owner: string;
  readonly justification: string;
  /** Without it or `approvedOn`, nothing is authorised. */
  readonly approvedBy: string;
  /** A date or a timestamp, as it is written; see {@link endOf}. */
  readonly approvedOn: string;
  /** A date or a timestamp, as it is written; see {@link endOf}. */
  readonly reviewBy: string;
  readonly integrity: ScriptIntegrity;
}

/** A finding that a person accepts until a moment. */
export interface AcknowledgedFinding {
  readonly id: string;
  readonly until: Date;
  readonly reason: string;
  readonly by: string;
}

/** What a zone declares of the scripts of some of its pages. */
export interface DeclaredScripts {
  /** Host and path of pages; `*` at the start or the end. Never empty. */
  readonly pages: readonly string[];
  readonly authorised: readonly AuthorisedScript[];
  readonly acknowledged: readonly AcknowledgedFinding[];
  /** An authorised script that was not seen for so long is a finding. */
  readonly goneAfterDays: number;
}

const dayMs = 86_400_000;

/** The moment of a date or timestamp as it is written, of a date its end (UTC); `undefined` for any other text. */
export function endOf(text: string): Date | undefined {
  const start = startOf(text);
  const isDate = text.length === 10;
  return start && isDate ? new Date(start.getTime() + dayMs) : start;
}

/** The moment of a date or timestamp as it is written, of a date its start (UTC); `undefined` for any other text. */
export function startOf(text: string): Date | undefined {
  const moment = new Date(text);
  return isRealDay(text) && !Number.isNaN(moment.getTime()) ? moment : undefined;
}

/** `Date` reads the 30th of February as the 2nd of March. */
function isRealDay(text: string): boolean {
  const day = text.slice(0, 10);
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
}
