import path from "node:path";

import { reasonOf } from "../desired/yaml/decode-text.ts";
import type { Host } from "./host.ts";

/** The text of a file, or why it has none, as words for people. */
export type NamedText =
  | { readonly text: string; readonly why: undefined }
  | { readonly text: undefined; readonly why: string };

/** More than the plan of ten thousand zones. */
const longest = 256 * 1024 * 1024;

/** Reads the text of a file that the command line or the configuration names. */
export async function readText(
  file: string,
  { directory, namedFiles }: Pick<Host, "directory" | "namedFiles">,
): Promise<NamedText> {
  try {
    const bytes = await namedFiles.read(path.resolve(directory, file), longest + 1);
    if (bytes.length > longest) return { text: undefined, why: "it is larger than 256 MB" };
    return { text: new TextDecoder().decode(bytes), why: undefined };
  } catch (error) {
    return { text: undefined, why: reasonOf(error) };
  }
}
