import { styleText } from "node:util";

import { isJsonObject, type Json } from "../syntax/json.ts";

/** A value in one line: lists with commas, a missing value as a dash, control characters escaped. */
export function valueText(value: Json | undefined): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "string") return value === "" ? '""' : printable(value);
  if (Array.isArray(value)) return value.map((part: Json) => valueText(part)).join(", ");
  if (isJsonObject(value)) {
    return Object.entries(value)
      .map(([name, part]) => `${printable(name)}: ${valueText(part)}`)
      .join("; ");
  }
  return JSON.stringify(value);
}

/** JSON for people and programs to read, with its line end. */
export function jsonText(json: Json): string {
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

/** Escapes control and direction characters, so that text cannot steer a terminal. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

/** Replaces control characters by characters of the same width, so that columns keep their place. */
export function inColumns(text: string): string {
  return text.replaceAll(unprintable, (character) =>
    character === "\t" ? " " : "�".repeat(character.length),
  );
}

/** Control, format, line and paragraph separator characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A count with its noun: `1 policy`, `3 policies`. */
export function plural(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : pluralOf(noun)}`;
}

/** `2,000`. */
export function numberText(count: number): string {
  return count.toLocaleString("en");
}

/** The plural of a regular noun: `policies`. */
export function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

const units = [
  ["days", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A duration in its two largest units: `3 h 20 min`; `0 s` below a second. */
export function durationText(ms: number): string {
  const first = units.findIndex(([, length]) => ms >= length);
  if (first === -1) return "0 s";
  let rest = ms;
  const parts = units.slice(first, first + 2).map(([name, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return { name: count === 1 && name === "days" ? "day" : name, count };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(" ");
}

/** The first twelve digits of a hash, for reading: a release needs the whole one. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

/** A revision, or a commit, with at most twelve digits of its hash; anything else whole. */
export function shortRevision(revision: string): string {
  return revision.replace(
    /^((?:sha256-)?)([0-9a-f]{16,})((?:-dirty)?)$/,
    (_all, kind: string, hash: string, state: string) => `${kind}${shortHash(hash)}${state}`,
  );
}

/** A revision for reading, with Git's name for it: `sha256-0123456789ab (commit 8c9b6cfb5909-dirty)`. */
export function revisionText({
  revision,
  commit,
}: {
  readonly revision: string;
  readonly commit?: string | undefined;
}): string {
  const short = shortRevision(revision);
  return commit === undefined ? short : `${short} (commit ${shortRevision(commit)})`;
}

/** Breaks text at spaces into lines of at most `width` characters; a longer word gets its own line. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Colours a text for a terminal, or leaves it as it is. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** A {@link Paint} that colours, or one that does not. */
export function paintOf(color: boolean): Paint {
  return color
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text;
}

/** Escapes text for Markdown, also in tables: no markup, HTML, link or mention. */
export function markdownText(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_{}[\]<>()#+!|~&$]/g, String.raw`\$&`)
    .replaceAll("://", String.raw`\://`)
    .replaceAll(/\bwww\./gi, (found) => `${found.slice(0, 3)}\\.`)
    .replaceAll("@", "@\u200B");
}

/** Text as a code span; it may contain backticks and bars. */
export function markdownCode(text: string): string {
  const shown = printable(text).replaceAll("|", String.raw`\|`);
  const fence = fenceOf(shown, 1);
  const space = shown.startsWith("`") || shown.endsWith("`") || shown === "" ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}

/** Lines as a code block that no line can end. */
export function fenced(language: string, lines: readonly string[]): string {
  const fence = fenceOf(lines.join("\n"), 3);
  return [`${fence}${language}`, ...lines, fence, ""].join("\n");
}

function fenceOf(text: string, least: number): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length + 1);
  return "`".repeat(Math.max(least, ...runs));
}
