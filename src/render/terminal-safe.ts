/** Control characters of terminals (C0 without tab and line feed, DEL, C1), and characters that change the direction of text. */
const unsafe = /(?![\t\n])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** What the program itself writes: line ends of CSV, and at the beginning the erasing of its progress line. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const own = /(\r\n|^\r\u001B\[2K)/;

/** The same, and the colours of {@link paintOf}. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const ownInColor = /(\r\n|^\r\u001B\[2K|\u001B\[(?:[12]|22|3[1-3569])m)/;

/**
 * Text for an output stream, whatever its format is: characters that steer a terminal are escaped as `\u001b`, which JSON
 * reads back. Names and messages of the service can contain them.
 *
 * @param options `color`: whether the stream has colours. Without them, no sequence for a colour is the program's own.
 */
export function terminalSafe(text: string, options: { readonly color: boolean }): string {
  return text
    .split(options.color ? ownInColor : own)
    .map((part, index) => (index % 2 === 1 ? part : withoutControls(part)))
    .join("");
}

/** Text of others, in which no character is the program's own. */
export function withoutControls(text: string): string {
  return text.replaceAll(unsafe, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
