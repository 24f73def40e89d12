/** Longer words are not mistyped names, and the distance costs the product of both lengths. */
const maxLength = 100;
const maxDistance = 3;

/** The candidate that `word` was probably meant to be; `undefined` if none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > maxLength) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let least = Math.min(maxDistance, Math.floor((wanted.length + 1) / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/** `did you mean "x"?`, or "" if no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? "" : `did you mean "${candidate}"?`;
}

/**
 * {@link nearest} for the first twenty words of many: nobody reads further, and searching takes
 * time.
 */
export function nearestOfMany(candidates: readonly string[]): (word: string) => string | undefined {
  let left = 20;
  return (word) => {
    left -= 1;
    return left < 0 ? undefined : nearest(word, candidates);
  };
}

/**
 * Damerau-Levenshtein distance (optimal string alignment): swapped neighbours are one mistake, not
 * two.
 */
function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
