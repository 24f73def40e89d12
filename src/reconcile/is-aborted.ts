/** Asks a signal anew: the compiler believes that it stays what it was before a wait. */
export function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}
