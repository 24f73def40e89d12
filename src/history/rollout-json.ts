import { type RolloutRecord, rolloutTurns } from "../state/rollout-turn.ts";
import {
  coerceDate,
  coerceText,
  coerceTexts,
  isJsonObject,
  type JsonObject,
  jsonOf,
  parseName,
} from "../syntax/json.ts";

/** What happened to a rollout, as JSON. `at` is first here too. */
export function rolloutRecordJson({ at, turn, ...record }: RolloutRecord): JsonObject {
  return jsonOf({ at, rollout: turn, ...record });
}

/** The record of a JSON value; `undefined` if it is none. */
export function rolloutRecordFrom(value: unknown): RolloutRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const at = coerceDate(value["at"]);
  const turn = parseName(rolloutTurns, value["rollout"]);
  if (at === undefined || turn === undefined) return undefined;
  const { wave, zones, by, from } = value;
  const stepsOf = coerceTexts(value["steps_of"]);
  return {
    at,
    turn,
    revision: coerceText(value["revision"]),
    commit: coerceText(value["commit"]) || undefined,
    ...(typeof wave === "number" ? { wave } : {}),
    ...(typeof zones === "number" ? { zones } : {}),
    ...(stepsOf.length > 0 ? { stepsOf } : {}),
    ...(typeof value["why"] === "string" ? { why: value["why"] } : {}),
    ...(typeof value["former"] === "string" ? { former: value["former"] } : {}),
    ...(typeof by === "string" ? { by } : {}),
    ...(typeof from === "string" ? { from } : {}),
  };
}
