/**
 * How the content of an authorised script is checked. `pinned`: it stays as it was when the script
 * was approved.
 */
export type ScriptIntegrity =
  | { readonly by: "any" }
  | { readonly by: "pinned" }
  | {
      readonly by: "hashes";
      /** SHA-256, as hexadecimal digits in lower case. */
      readonly hashes: readonly string[];
    };

/**
 * A script that may run on the declared pages. A text that a person has not filled in yet is "".
 */
export interface AuthorisedScript {
  /** Pattern of URLs as it is written, which identifies the entry. */
  readonly url: string;
  readonly owner: string;
  readonly justification: string;
  /** Without it or `approvedOn`, nothing is authorised. */
  readonly approvedBy: string;
  /** A date or a timestamp, as it is written; `endOf` reads it. */
  readonly approvedOn: string;
  /** A date or a timestamp, as it is written; `endOf` reads it. */
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
  /** After this time unseen, an authorised script is a finding. */
  readonly goneAfterDays: number;
}
