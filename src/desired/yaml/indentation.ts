/** A line whose indentation fits neither the line before nor those around it. */
export interface MisplacedLine {
  readonly offset: number;
  /** The beginning of the line without its value: `action` or `- key`. */
  readonly name: string;
  readonly found: number;
  /** The indentation that is nearest among those of the lines around it. */
  readonly expected: number;
}

/**
 * A key, or a dash with or without a key; what follows it; and whether that is another line's
 * business.
 */
const entry = /^(?<dash>- +)?(?<name>[\w$."'*-]+)[ \t]*:(?:[ \t]+(?<value>\S.*))?$/;

/** Where the keys of a map or the dashes of a list stand. */
interface Column {
  readonly at: number;
  readonly isList: boolean;
}

/**
 * The first line of a YAML text that is indented too little or too much. Judges by lines alone, so
 * it is only asked where the text is not YAML.
 */
export function misplacedLine(text: string): MisplacedLine | undefined {
  const scan = new LineScan();
  let offset = 0;
  for (const line of text.split("\n")) {
    const found = scan.next(line);
    if (found !== undefined) return { ...found, offset: offset + found.found };
    offset += line.length + 1;
  }
  return undefined;
}

class LineScan {
  #columns: readonly Column[] = [];
  /**
   * Whether the line before has a key without a value, so that the next one may be indented more.
   */
  #isOpen = true;
  /** Lines that are indented more belong to a block of text. */
  #blockAbove: number | undefined;
  #openBrackets = 0;

  next(line: string): Omit<MisplacedLine, "offset"> | undefined {
    const content = line.trim();
    const indent = line.length - line.trimStart().length;
    if (this.#isOutside(content, indent)) return undefined;
    if (/^(---|\.\.\.)/.test(line)) {
      this.#columns = [];
      this.#isOpen = true;
      return undefined;
    }
    const parts = entry.exec(content)?.groups;
    const isList = /^-( |$)/.test(content);
    // A text may go on in the next line.
    if (parts === undefined && !isList) return undefined;
    if (this.#fits(indent)) {
      this.#enter(indent, isList, parts, content);
      return undefined;
    }
    const key = (parts?.["name"] ?? "").replaceAll(/^["']|["']$/g, "");
    const name = isList ? `- ${key}`.trim() : key;
    return { name, found: indent, expected: this.#nearest(indent, isList) };
  }

  /** Whether the line begins where a map or list stands, or one may begin. */
  #fits(indent: number): boolean {
    const top = this.#columns.at(-1)?.at ?? 0;
    if (indent > top) return this.#isOpen;
    const outer = this.#columns.filter(({ at }) => at <= indent);
    return outer.length === 0 || outer.at(-1)?.at === indent;
  }

  /** Whether a line has no key or dash of its own. */
  #isOutside(content: string, indent: number): boolean {
    if (content === "" || content.startsWith("#")) return true;
    if (this.#blockAbove !== undefined && indent > this.#blockAbove) return true;
    this.#blockAbove = undefined;
    const isInBrackets = this.#openBrackets > 0;
    this.#openBrackets = Math.max(0, this.#openBrackets + balance(content));
    return isInBrackets;
  }

  #enter(
    indent: number,
    isList: boolean,
    parts: Readonly<Record<string, string>> | undefined,
    content: string,
  ): void {
    const outer = this.#columns.filter(({ at }) => at < indent);
    const inner = indent + (parts?.["dash"]?.length ?? 0);
    const keys = inner > indent ? [{ at: inner, isList: false }] : [];
    this.#columns = [...outer, { at: indent, isList }, ...keys];
    const value = parts?.["value"];
    this.#isOpen =
      parts === undefined
        ? /^-( +[&!]\S*)?$/.test(content)
        : value === undefined || /^[&!#]\S*$/.test(value);
    if (value !== undefined && /^[|>][-+\d]*$/.test(value)) this.#blockAbove = inner;
  }

  /** The nearest column, if possible of the same kind. */
  #nearest(indent: number, isList: boolean): number {
    const same = this.#columns.filter((column) => column.isList === isList);
    return (same.length > 0 ? same : this.#columns)
      .map(({ at }) => at)
      .reduce((best, at) => (Math.abs(at - indent) <= Math.abs(best - indent) ? at : best), 0);
  }
}

/** How many more brackets a line opens than it closes, without those in quotes. */
function balance(content: string): number {
  const bare = content.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\s#.*$/g, "");
  const count = (marks: RegExp): number => bare.match(marks)?.length ?? 0;
  return count(/[[{]/g) - count(/[\]}]/g);
}
