/** Does `work` again and again until `stop` aborts: a fault of our own in it is told, and the next turn begins. */
export async function keepOn(
  work: () => Promise<void>,
  bug: (error: unknown, zone: string) => void,
  stop: AbortSignal,
): Promise<void> {
  while (!isOver(stop)) {
    try {
      await work();
    } catch (error) {
      if (!isOver(stop)) bug(error, "");
    }
  }
}

/** Asked anew each time: the compiler believes that it stays what it was before a wait. */
function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}
