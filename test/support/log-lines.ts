import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import type { Started } from "./command-line.ts";
import { eventually } from "./processes.ts";

type Speaker = Pick<Started, "stdout">;

/** Lines of a daemon's log, as facts. */
export function logLines({ stdout }: Speaker): readonly JsonObject[] {
  return stdout()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): unknown => JSON.parse(line))
    .filter(isJsonObject);
}

/** Waits for a line of the log that says and holds this; fails with the log where none does. */
export async function logged(
  daemon: Speaker,
  msg: string,
  facts: JsonObject = {},
): Promise<JsonObject> {
  return await eventually(
    `${msg} ${JSON.stringify(facts)}`,
    () =>
      logLines(daemon).find(
        (line) =>
          line["msg"] === msg && Object.entries(facts).every(([key, fact]) => line[key] === fact),
      ),
    15,
  ).catch((cause: unknown) => {
    const what = `not logged: ${msg} ${JSON.stringify(facts)}`;
    const waitsFor = process.getActiveResourcesInfo().join(" ");
    throw new Error(`${what}\n${daemon.stdout()}\nwaits for: ${waitsFor}`, { cause });
  });
}
