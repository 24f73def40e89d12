import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** The documents whose examples are run. */
export const documents: readonly string[] = globSync(
  ["README.md", "CONTRIBUTING.md", "docs/*.md", "deploy/*.md", "deploy/runbooks/*.md"],
  { cwd: root },
).toSorted();

/** A fenced block of a document. */
export interface CodeBlock {
  /** `docs/files.md:12` */
  readonly place: string;
  readonly language: string;
  readonly text: string;
  /** Why it is not run, from a comment before it: `<!-- not run: a diagram -->`; "" where it is run. */
  readonly reason: string;
  /** Lines that the configuration of its commands needs, from a comment before it: `<!-- config: limits: … -->`. */
  readonly config: string;
  /** Whether `npm run generate` writes it. */
  readonly isGenerated: boolean;
}

const fence =
  /(?:<!-- (?<kind>not run|config): (?<note>[^\n]*?) -->\n+)?(?<indent> *)```(?<language>\w*)\n(?<text>.*?)\n *```/gs;

/** The text of a document, by its path from the root of the project. */
export function documentText(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

/** The fenced blocks of a document, in order. */
export function codeBlocksOf(file: string): readonly CodeBlock[] {
  const document = documentText(file);
  return [...document.matchAll(fence)].map(({ groups = {}, index }) => {
    const { kind, note = "", indent = "", language = "", text = "" } = groups;
    const line = document.slice(0, document.indexOf("```", index)).split("\n").length;
    return {
      place: `${file}:${line}`,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      reason: kind === "not run" ? note : "",
      config: kind === "config" ? note : "",
      isGenerated: kind === undefined && isGenerated(document.slice(0, index)),
    };
  });
}

/** Whether a text ends in the comment that begins a generated part: `<!-- plan: … -->`. */
function isGenerated(before: string): boolean {
  return /<!-- [a-z][a-z-]*(?:: [^\n]*)? -->\n$/.test(before);
}

/** The code spans of a document outside of its blocks, without their backticks. */
export function codeSpansOf(file: string): readonly string[] {
  const prose = documentText(file).replaceAll(fence, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);
}
