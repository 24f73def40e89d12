const units = [
  ["days", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A length of time in its two largest units: `3 h 20 min`; `0 s` where it is under a second. */
export function durationText(ms: number): string {
  const first = units.findIndex(([, length]) => ms >= length);
  if (first === -1) return "0 s";
  let rest = ms;
  const parts = units.slice(first, first + 2).map(([name, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return { name: count === 1 && name === "days" ? "day" : name, count };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(" ");
}
