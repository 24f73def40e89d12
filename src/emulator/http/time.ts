const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Whether a number of milliseconds since 1970 is a moment that can be written with a year of four digits. */
export function isMoment(milliseconds: number): boolean {
  return milliseconds >= 0 && milliseconds < Date.UTC(10_000, 0);
}

/** A duration such as `90s`, `5m` or `8d` in milliseconds; `undefined` where the text is none. */
export function ageIn(text: string): number | undefined {
  const { count, unit } = /^(?<count>\d{1,9})(?<unit>ms|s|m|h|d)$/.exec(text)?.groups ?? {};
  const milliseconds = units[unit ?? ""];
  return milliseconds === undefined ? undefined : Number(count) * milliseconds;
}

/** A moment as the service writes it, with microseconds (SERVICE.md B.3). */
export function timestamp(moment: Date): string {
  return moment.toISOString().replace("Z", "000Z");
}
