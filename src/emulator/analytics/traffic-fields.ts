import type { FieldReader } from "../http/fields.ts";
import type { Traffic } from "../state.ts";

/** Members of {@link Traffic} in seeds and in the control API. */
export const trafficMembers = ["seed", "requests_per_hour", "hosts", "shares", "sampled_above"];

/**
 * The traffic of a body; what it does not have stays as it was `before`, also in `shares`, where `null` ends what was given.
 *
 * @param namesOf the names of the policy or rule that a name means, the one to keep first.
 */
export function trafficIn(
  fields: FieldReader,
  before: Traffic = {},
  namesOf: (name: string) => readonly string[] = (name) => [name],
): Traffic {
  const given = {
    seed: fields.integer("seed", 0, 2 ** 31),
    requests_per_hour: fields.integer("requests_per_hour", 0, maxRequests),
    hosts: numbersIn(fields, "hosts", maxRequests),
    shares: sharesIn(fields, before, namesOf),
    sampled_above: fields.integer("sampled_above", 1),
  };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(present) };
}

/** Most requests in an hour: more would not stay exact. */
const maxRequests = 1_000_000_000;

function sharesIn(
  fields: FieldReader,
  { shares: before = {} }: Traffic,
  namesOf: (name: string) => readonly string[],
): Traffic["shares"] {
  const given = fields.object("shares");
  if (given === undefined) return undefined;
  const shares = new Map(Object.entries(before));
  for (const [name, value] of Object.entries(given.body)) {
    const names = namesOf(name);
    for (const each of names) shares.delete(each);
    if (value !== null) shares.set(names[0] ?? name, numberIn(fields, "shares", value, 1));
  }
  return Object.fromEntries(shares);
}

function numbersIn(
  fields: FieldReader,
  name: string,
  max: number,
): Readonly<Record<string, number>> | undefined {
  const reader = fields.object(name);
  if (reader === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(reader.body).map(([key, value]) => [key, numberIn(fields, name, value, max)]),
  );
}

function numberIn(fields: FieldReader, name: string, value: unknown, max: number): number {
  if (typeof value === "number" && value >= 0 && value <= max) return value;
  throw fields.error(name, `${name} must have numbers from 0 to ${max}`);
}
