/** One request that the emulator saw. */
export interface JournalEntry {
  readonly number: number;
  readonly at: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Status of the answer; 0 where the connection was cut instead. */
  readonly status: number;
  /** Name of the credential, "" where there was none that is known. */
  readonly credential: string;
  readonly ray: string;
}
