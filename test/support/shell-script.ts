/** A command of a script, as far as documents use the shell. */
export interface ShellCommand {
  /** Assignments and words, quotes removed and substitutions made. */
  readonly words: readonly string[];
  /** The file that stdout goes to; "" where it goes to the next command or to the reader. */
  readonly into: string;
  /** Whether stdout goes to the next command. */
  readonly isPiped: boolean;
  /** The exit code that a comment on its line promises: `# exits with 2 when …`; else 0. */
  readonly exitCode: number;
}

/** Reads what stands in `$NAME` and `$(command)`. */
export type Substitute = (expression: string) => Promise<string>;

/** Reads a script: commands joined by line ends, `&&` and `|`, with quotes, comments, `>` and substitutions. */
export async function readScript(
  script: string,
  substitute: Substitute,
): Promise<readonly ShellCommand[]> {
  const commands: ShellCommand[] = [];
  for (const line of script.replaceAll(/\\\n/g, " ").split("\n")) {
    const [code, comment] = split(line);
    const [, promised = "0"] = /exits? with (\d)/.exec(comment) ?? [];
    for (const part of await commandsIn(code, substitute)) {
      commands.push({ ...part, exitCode: part.isPiped ? 0 : Number(promised) });
    }
  }
  return commands;
}

/** A line without its comment, and the comment. */
function split(line: string): readonly [string, string] {
  const code = /^(?:'[^']*'|"[^"]*"|[^\s'"#]|(?<=\S)#|\s+(?!#))*/.exec(line)?.[0] ?? "";
  return [code, line.slice(code.length)];
}

type Part = Omit<ShellCommand, "exitCode">;

const token = /(?<operator>&&|\||>)|(?<word>(?:'[^']*'|"[^"]*"|[^\s'"|>&])+)/g;

async function commandsIn(code: string, substitute: Substitute): Promise<readonly Part[]> {
  const parts: Part[] = [];
  let words: string[] = [];
  let into = "";
  let isRedirected = false;
  const end = (isPiped: boolean): void => {
    if (words.length > 0) parts.push({ words, into, isPiped });
    [words, into] = [[], ""];
  };
  for (const { groups = {} } of code.matchAll(token)) {
    const { operator, word = "" } = groups;
    if (operator === ">") isRedirected = true;
    else if (operator !== undefined) end(operator === "|");
    else if (isRedirected) [into, isRedirected] = [word, false];
    else words.push(await expanded(word, substitute));
  }
  end(false);
  return parts;
}

/** A word without its quotes; within single ones nothing is substituted. */
async function expanded(word: string, substitute: Substitute): Promise<string> {
  let text = "";
  for (const { groups = {} } of word.matchAll(
    /'(?<raw>[^']*)'|"(?<quoted>[^"]*)"|(?<bare>[^'"]+)/g,
  )) {
    const { raw, quoted, bare = "" } = groups;
    text += raw ?? (await substituted(quoted ?? bare, substitute));
  }
  return text;
}

async function substituted(text: string, substitute: Substitute): Promise<string> {
  let result = text;
  for (const [whole, command, name] of text.matchAll(/\$\(([^)]+)\)|\$(\w+)/g)) {
    result = result.replace(whole, await substitute(command ?? name ?? ""));
  }
  return result;
}
