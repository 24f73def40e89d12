/** A line whose indentation fits neither the line before nor those around it. */
export interface MisplacedLine {
  readonly offset: number;
  /** The beginning of the line without its value: `action` or `- key`. */
  readonly name: string;
  readonly found: number;
  /** The indentation that is nearest among those of the lines around it. */
  readonly expected: number;
}

/** A key, perhaps after a dash, and what follows it. */
const entry = /^( *)(- +)?([\w$."'*-]+)[ \t]*:(?:[ \t]+(\S.*))?$/;

/** Where the keys of a map or the dashes of a list stand. */
interface Column {
  readonly at: number;
  readonly isList: boolean;
}

/** A misplaced line confuses the parser from the line before on. */
const maxDistance = 2;

/**
 * The first line that is indented too little or too much, near a line where the text is not YAML.
 * Judges by lines alone.
 *
 * @param errorLine counted from 1
 */
export function misplacedLine(text: string, errorLine: number): MisplacedLine | undefined {
  let columns: readonly Column[] = [];
  // Whether the line before has a key without a value, so that the next one may be indented more.
  let isOpen = true;
  let offset = 0;
  for (const [index, line] of text.split("\n", errorLine + maxDistance).entries()) {
    const [, indent = "", dash = "", name = "", value] = entry.exec(line) ?? [];
    const at = indent.length;
    if (name !== "" && fits(columns, at, isOpen)) {
      columns = [...columns.filter((column) => column.at < at), ...columnsOf(at, dash)];
      isOpen = value === undefined || /^[&!#]\S*$/.test(value);
    } else if (name !== "" && index + 1 >= errorLine - maxDistance) {
      const expected = nearest(columns, at, dash !== "");
      const key = name.replaceAll(/^["']|["']$/g, "");
      return { offset: offset + at, name: dash === "" ? key : `- ${key}`, found: at, expected };
    }
    offset += line.length + 1;
  }
  return undefined;
}

/** Whether a line begins where a map or list stands, or one may begin. */
function fits(columns: readonly Column[], indent: number, isOpen: boolean): boolean {
  if (indent > (columns.at(-1)?.at ?? 0)) return isOpen;
  const outer = columns.filter(({ at }) => at <= indent);
  return outer.length === 0 || outer.at(-1)?.at === indent;
}

function columnsOf(at: number, dash: string): readonly Column[] {
  if (dash === "") return [{ at, isList: false }];
  return [
    { at, isList: true },
    { at: at + dash.length, isList: false },
  ];
}

/** The nearest column, if possible of the same kind. */
function nearest(columns: readonly Column[], indent: number, isList: boolean): number {
  const same = columns.filter((column) => column.isList === isList);
  return (same.length > 0 ? same : columns)
    .map(({ at }) => at)
    .reduce((best, at) => (Math.abs(at - indent) <= Math.abs(best - indent) ? at : best), 0);
}
