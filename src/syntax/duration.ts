/** Milliseconds of `500ms`, `30s`, `15m`, `24h` or `7d`; the schemas allow no other text. */
export function millisecondsOf(duration: string): number {
  const unit = units.find(([name]) => duration.endsWith(name));
  return Number.parseInt(duration, 10) * (unit?.[1] ?? 1);
}

// "ms" is first: "500ms" also ends with "s".
const units = [
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
] as const;
