import { isJsonObject } from "../syntax/json.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { problemOfFile } from "./diagnostics.ts";
import type { YamlText } from "./yaml/read-yaml.ts";

// Whoever names the wrong file, a token's for example, must not find its content in a terminal or a log. So nothing
// is quoted of a file that has no key of the file that was meant, and of others not what may be a secret.

/** A file that was meant to be of some sort, and the keys that can stand at the top of one. */
export interface Sort {
  readonly name: string;
  readonly keys: readonly string[];
}

/** The problem of a file that is no text of its sort at all; `undefined` where it is, however broken. */
export function foreignProblem(
  file: string,
  text: string,
  { diagnostics, documents }: Pick<YamlText, "diagnostics" | "documents">,
  sort: Sort,
): Diagnostic | undefined {
  const isSort =
    hasKeyOf(text, sort) || (diagnostics.length === 0 && documents.every(isJsonObject));
  if (isSort) return undefined;
  return problemOfFile(file, "FILE_FOREIGN", {
    message: `this is not ${sort.name}: none of its keys stands here`,
    remedy: `check that it is the file that was meant; keys of one are ${sort.keys.join(", ")}`,
  });
}

/** The text of a file as it may be shown; "" where nothing of it may. */
export function shownText(text: string, sort: Sort): string {
  if (!hasKeyOf(text, sort)) return "";
  return withoutSecrets(text.replaceAll(secretValue, "$1…").replaceAll(userInfo, "://…@"));
}

/** What stands behind a key that speaks of a secret. Addresses of notifications are secrets too. */
const secretValue = /((?:token|secret|password|(?<!base_)\burl)\w*["']?[ \t]*:[ \t]*)[^\n]*/gi;

const userInfo = /:\/\/[^/\s"']*@/g;

function hasKeyOf(text: string, { keys }: Sort): boolean {
  const names = keys.map((key) => RegExp.escape(key)).join("|");
  return new RegExp(`(?:^|[{,])[ \\t]*["']?(?:${names})["']?[ \\t]*:`, "m").test(text);
}
