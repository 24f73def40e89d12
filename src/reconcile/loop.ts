import { isAborted } from "./is-aborted.ts";

/** Does `work` again and again until `stop` aborts: a fault of our own in it is told, and the next turn begins. */
export async function loop(
  work: () => Promise<void>,
  bug: (error: unknown, zone: string) => void,
  stop: AbortSignal,
): Promise<void> {
  while (!isAborted(stop)) {
    try {
      await work();
    } catch (error) {
      if (!isAborted(stop)) bug(error, "");
    }
  }
}
