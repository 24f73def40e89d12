import { printable } from "../../state/value.ts";

/** Text that stands in Markdown as it is, in a table too: no markup, no HTML, no link, and nobody is mentioned by it. */
export function markdownText(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_{}[\]<>()#+!|~&$]/g, String.raw`\$&`)
    .replaceAll("://", String.raw`\://`)
    .replaceAll(/\bwww\./gi, (found) => `${found.slice(0, 3)}\\.`)
    .replaceAll("@", "@\u200B");
}

/** Text in a code span, whatever backticks and bars it holds. */
export function markdownCode(text: string): string {
  const shown = printable(text).replaceAll("|", String.raw`\|`);
  const fence = fenceOf(shown, 1);
  const space = shown.startsWith("`") || shown.endsWith("`") || shown === "" ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}

/** Lines in a code block that none of them can end. */
export function fenced(language: string, lines: readonly string[]): string {
  const fence = fenceOf(lines.join("\n"), 3);
  return [`${fence}${language}`, ...lines, fence, ""].join("\n");
}

function fenceOf(text: string, least: number): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length + 1);
  return "`".repeat(Math.max(least, ...runs));
}
