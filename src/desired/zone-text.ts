import { isDeepStrictEqual } from "node:util";

import { stringify } from "yaml";

import type { JsonObject } from "../syntax/json.ts";
import type { ZoneContent } from "../zone/desired.ts";
import { Assembler } from "./assemble.ts";
import { parseFile } from "./parse-file.ts";
import { contentEntry } from "./zone-entry.ts";

/** The text of a file with zone documents. Equal data gives equal bytes. */
export function zoneFileText(data: JsonObject, remark: string): string {
  const text = stringify(data, {
    aliasDuplicateObjects: false,
    // Other tools read `yes` and `012` otherwise than we do: such texts are quoted.
    compat: "yaml-1.1",
    lineWidth: 0,
  });
  return `# ${remark}\n\n${text}`;
}

/**
 * What the language of the files says against `content`; `undefined` where writing it down and reading it back gives
 * it again.
 */
export function objectionTo(content: ZoneContent): string | undefined {
  const entry = { name: "any.example", ...contentEntry(content) };
  const text = zoneFileText({ zones: [entry] }, "");
  const { zones, problems } = parseFile("", "", new TextEncoder().encode(text));
  const [layer] = zones;
  const assembled = layer && new Assembler().assemble(layer, [layer]);
  const problem = [...problems, ...(assembled?.problems ?? [])].find(
    ({ severity }) => severity === "error",
  );
  if (problem !== undefined) return `a file cannot say it: ${problem.message}`;
  const isSame = isDeepStrictEqual(assembled?.document?.content, content);
  return isSame ? undefined : "a file cannot say it: read back, it would not be the same";
}
