import type { ZoneName } from "../../zone/zone.ts";
import { textOf } from "../yaml/decode-text.ts";

/**
 * Whether a zone file may have to do with these zones, judged by its text alone. `false` says that
 * the file declares zones by their names and nothing else, and none of these: it has no profile, no
 * selector and no zone by its id. Whatever else it says cannot change what is declared for these
 * zones. A property compares this with what files mean.
 */
export function mayConcern(
  { file, bytes }: { readonly file: string; readonly bytes: Uint8Array },
  names: readonly ZoneName[],
): boolean {
  const text = textOf(file, bytes);
  if (typeof text !== "string") return true;
  const head = beforeList.exec(text)?.[0];
  if (head === undefined || otherTopLevel.test(text.slice(head.length - 1))) return true;
  if (unusual.test(text) || otherTarget.test(text)) return true;
  const lower = text.toLowerCase();
  return names.some((name) => lower.includes(name));
}

/** Empty lines and comments, perhaps a `---`, and the key `zones` as the only thing of its line. */
const beforeList =
  /^(?: *(?:#[^\n]*)?\n)*(?:--- *\n(?: *(?:#[^\n]*)?\n)*)?zones:(?: *| +#[^\n]*)\n/;

/**
 * A line that begins at the left edge and is neither empty nor a comment, nor an item of the list
 * of zones.
 */
const otherTopLevel = /\n(?!- )[^ \n#]/;

/**
 * Control characters but the line feed, some of which end lines, and the escapes that stand for
 * letters: without them, a key or a name stands in the text as it is.
 */
const unusual = /[^\P{Cc}\n]|\\[xuU\n]/u;

/**
 * The keys that declare a zone by something else than its name, wherever they stand; not the end of
 * a name such as `cf.colo.id`.
 */
const otherTarget = /(?<![\w.-])(?:id|match)(?![\w-])/;
