/** Survivors in the schedule of `reconcile` that were looked at. */
export const equivalentInSchedule = [
  {
    file: "src/reconcile/schedule/windows.ts",
    how: 'name ?? "" → (name)',
    why: "Every moment in a time zone has an offset; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "hours ?? 0 → (hours)",
    why: "Every offset has hours; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "minutes ?? 0 → (minutes)",
    why: "Every offset has minutes; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "100 → 101",
    why: "A bound of the search; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "count < maxEdges → ((count) <= (maxEdges))",
    why: "A bound of the search; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "last?.lets === lets && last.from <= now && now < last.to → false",
    why: "The end is searched again: it costs time.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "1 → 2",
    line: "for (let count = 1; edge !== undefined && count < maxEdges; count += 1) {",
    why: "A bound of the search; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "last.from <= now → ((last.from) < (now))",
    why: "The end is searched again: it costs time.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "last = to === undefined ? undefined : { from: now, to, lets }; → ;",
    why: "The end is searched again: it costs time.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "to === undefined → true",
    line: "last = to === undefined ? undefined : { from: now, to, lets };",
    why: "The end is searched again: it costs time.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "to === undefined → false",
    line: "last = to === undefined ? undefined : { from: now, to, lets };",
    why: "No moment is before an end that is not known.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "to === undefined → ((to) !== (undefined))",
    line: "last = to === undefined ? undefined : { from: now, to, lets };",
    why: "The end is searched again: it costs time.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "8 → 9",
    why: "A bound of the search; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "366 → 367",
    why: "A bound of the search; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "floor → ceil",
    why: "A day more than is needed is searched at both ends.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "day > now - durationMs - 3 * dayMs → ((day) >= (now - durationMs - 3 * dayMs))",
    why: "A day more than is needed is searched at both ends.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "3 → 4",
    why: "A day more than is needed is searched at both ends.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "2 → 3",
    why: "Where the offset is not the same around a day, each moment is computed by itself: it costs time.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "day < now + farthestMs → ((day) <= (now + farthestMs))",
    why: "A bound of the search; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "occurrence > now → ((occurrence) >= (now))",
    why: "It is asked where the window is closed: it does not open now.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "times[0] ?? 0 → (times[0])",
    why: "A cron expression has a time of the day; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "0 → 1",
    line: "if (!calendar.match(new Date(day + (times[0] ?? 0)))) return [];",
    why: "A cron expression has a time of the day; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "offset === offsetAt(day + 2 * dayMs) → false",
    why: "Each moment is computed by itself, with the same result: it costs time.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "after === before → false",
    why: "The second moment is the first, then.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "?.value → .value",
    why: "Every moment in a time zone has an offset; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: '/^GMT([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?$/.exec(name ?? "") ?? [] → (/^GMT([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?$/.exec(name ?? ""))',
    why: "Every offset is a sign, hours and minutes; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "^ → (nothing)",
    why: "Every offset is a sign, hours and minutes; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "$ → (nothing)",
    why: "Every offset is a sign, hours and minutes; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: '"" → "mutant"',
    line: '/^GMT([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?$/.exec(name ?? "") ?? [];',
    why: "Every offset is a sign, hours and minutes; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "0 → 1",
    line: "((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)) * 1_000;",
    why: "Every offset is a sign, hours and minutes; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/schedule.ts",
    how: "moments.at(-1) ?? 0 → (moments.at(-1))",
    why: "A valid expression has coming moments; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/schedule.ts",
    how: "0 → 1",
    line: "const horizon = Math.min(...runs.map((moments) => moments.at(-1) ?? 0));",
    why: "A valid expression has coming moments; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/schedule.ts",
    how: "1 → 2",
    line: "const horizon = Math.min(...runs.map((moments) => moments.at(-1) ?? 0));",
    why: "One run more or less at the end of a week shows no longer gap.",
  },
] as const;
