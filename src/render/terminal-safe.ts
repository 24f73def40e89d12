/** Control characters of terminals (C0 without tab and line feed, DEL, C1), and characters that change the direction of text. */
const unsafe =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** What the program itself writes: line ends of CSV, the erasing of its progress line, and colours. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const own = /(\r\n|\r\u001B\[2K|\u001B\[(?:[1-4]|2[2-4]|3[1-79]|9[0-7])m)/;

/**
 * Text for an output stream, whatever its format is: characters that steer a terminal are escaped as `\u001b`, which JSON
 * reads back. Names and messages of the service can contain them.
 */
export function terminalSafe(text: string): string {
  return text
    .split(own)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(unsafe, escaped)))
    .join("");
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
