/** Milliseconds of this process's processors: unlike a clock they do not count what others do meanwhile. */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/**
 * How many times its floor some work costs in processor time, as the median of rounds. The two take
 * turns, so that a machine that gets slower or faster does so for both.
 */
export async function timesFloor(
  rounds: number,
  work: () => unknown,
  floor: () => unknown,
): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const below = await processorTime(floor);
    ratios.push((await processorTime(work)) / below);
  }
  return median(ratios);
}
