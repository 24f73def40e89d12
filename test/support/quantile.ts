/** The most of ascending moments within a window. */
export function mostIn(moments: readonly number[], ms: number): number {
  let [first, most] = [0, 0];
  for (const [nth, at] of moments.entries()) {
    while ((moments[first] ?? at) <= at - ms) first += 1;
    most = Math.max(most, nth - first + 1);
  }
  return most;
}

/** The value that a share of sorted numbers does not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
