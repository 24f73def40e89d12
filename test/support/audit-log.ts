import type { JsonObject } from "../../src/syntax/json.ts";
import { type TestEmulator, listOf, objectIn, textIn } from "./emulator.ts";

/** The zone whose audit log tests read. */
export const zone = "shop.example.com";

/** A query for the day on which tests begin. */
export const window = "since=2026-11-20&before=2026-11-21";

/** The path of the audit log of a zone's account. */
export async function auditPath(world: TestEmulator, name = zone): Promise<string> {
  const [found] = listOf(await world.call("GET", `/zones?name=${name}`));
  return `/accounts/${textIn(objectIn(found?.["account"]), "id")}/logs/audit`;
}

/** The entries of the account of {@link zone}. */
export async function entriesOf(
  world: TestEmulator,
  query = window,
): Promise<readonly JsonObject[]> {
  return listOf(await world.call("GET", `${await auditPath(world)}?${query}`));
}

/** Moves the clock of the emulator. */
export async function advance(world: TestEmulator, by: string): Promise<void> {
  await world.control("POST", "/clock", { advance: by });
}
