import type { Emulator } from "../../src/emulator/start-emulator.ts";
import { isJsonObject } from "../../src/syntax/json.ts";

/** Something with an id and, where it has one, a name or description. */
export interface Named {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** The `result` of a GET, asked for with the token that may do everything. */
export async function ask({ baseUrl }: Pick<Emulator, "baseUrl">, where: string): Promise<unknown> {
  const headers = { authorization: "Bearer emulator-token" };
  const body: unknown = await (await fetch(`${baseUrl}${where}`, { headers })).json();
  return isJsonObject(body) ? body["result"] : undefined;
}

/** The items of a list, with what tells them apart. */
export async function listAnswer(
  emulator: Pick<Emulator, "baseUrl">,
  where: string,
): Promise<readonly Named[]> {
  const result = await ask(emulator, where);
  if (!Array.isArray(result)) throw new Error(`${where}: no list`);
  return result.filter(isJsonObject).map((item) => ({
    id: textOf(item["id"]),
    name: textOf(item["name"]),
    description: textOf(item["description"]),
  }));
}

/** The policies of a zone. */
export async function policiesOf(
  emulator: Pick<Emulator, "baseUrl">,
  zone: string,
): Promise<readonly Named[]> {
  const [found] = await listAnswer(emulator, `/zones?name=${zone}`);
  if (found === undefined) throw new Error(`no zone ${zone}`);
  return listAnswer(emulator, `/zones/${found.id}/page_shield/policies`);
}

/** Does something that only the emulator can do: `/edit` as a person would, order `/faults`. */
export async function control(
  { url }: Pick<Emulator, "url">,
  path: string,
  body: object,
): Promise<void> {
  const response = await fetch(`${url}/_emulator${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
}

/** Takes away all faults that were ordered. */
export async function endFaults({ url }: Pick<Emulator, "url">): Promise<void> {
  await fetch(`${url}/_emulator/faults`, { method: "DELETE" });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
