import type { FieldReader } from "../http/fields.ts";
import type { Traffic } from "../state.ts";

/** Members of {@link Traffic} in seeds and in the control API. */
export const trafficMembers = ["seed", "requests_per_hour", "hosts", "shares", "sampled_above"];

/** The traffic of a body; what it does not have stays as it was `before`, also in `shares`. */
export function trafficIn(fields: FieldReader, before: Traffic = {}): Traffic {
  const shares = numbersIn(fields, "shares", 1);
  const given = {
    seed: fields.integer("seed", 0, 2 ** 31),
    requests_per_hour: fields.integer("requests_per_hour", 0, maxRequests),
    hosts: numbersIn(fields, "hosts", maxRequests),
    shares: shares === undefined ? undefined : { ...before.shares, ...shares },
    sampled_above: fields.integer("sampled_above", 1),
  };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(present) };
}

/** Most requests in an hour: more would not stay exact. */
const maxRequests = 1_000_000_000;

function numbersIn(
  fields: FieldReader,
  name: string,
  max: number,
): Readonly<Record<string, number>> | undefined {
  const reader = fields.object(name);
  if (reader === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(reader.body).map(([key, value]) => {
      if (typeof value === "number" && value >= 0 && value <= max) return [key, value];
      throw fields.error(name, `${name} must have numbers from 0 to ${max}`);
    }),
  );
}
