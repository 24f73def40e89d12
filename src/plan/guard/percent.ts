/** A share of a whole in percent, rounded: `31.7 %`. */
export function percent(share: number, decimals = 1): string {
  return `${Number((share * 100).toFixed(decimals))} %`;
}

/** A share that is over its limit, with as many decimals as it takes to tell the two apart. */
export function percentOver(limit: number, share: number): string {
  const decimals = [1, 2, 3].find((each) => percent(share, each) !== percent(limit, each));
  return percent(share, decimals ?? 4);
}
