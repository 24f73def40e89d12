/** Processor time of this thread in milliseconds. */
export function threadTimeOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(before).user / 1_000;
}
