import { stripVTControlCharacters } from "node:util";

import type { Shot } from "./recording.ts";

/** Cells of the terminal, in units of the drawing. */
const cell = { width: 7.8, height: 18, columns: 100 };
const margin = 16;

/** How long what is shown takes, in seconds. */
const pace = { comment: 1.6, key: 0.04, prompt: 0.4, line: 0.55, end: 4 };

/** When the first comment is shown, in seconds. */
const start = 0.5;

/** What a person sees at once: its lines, of runs of one style. */
interface Block {
  readonly from: number;
  readonly lines: readonly (readonly Run[])[];
  /** Typed key by key, for so many seconds. */
  readonly typed: number;
}

interface Run {
  readonly column: number;
  readonly text: string;
  /** Classes of its style: `b`, `d` and `c31`. */
  readonly style: string;
}

/** An SVG that plays a recording again and again by CSS alone. Where motion is unwelcome or CSS unknown, it shows the end. */
export function drawRecording(shots: readonly Shot[]): string {
  const { blocks, seconds } = timed(shots);
  const rows = blocks.flatMap(({ lines }) => lines).length;
  const [width, height] = [cell.columns * cell.width + 2 * margin, rows * cell.height + 2 * margin];
  const percent = (at: number): string => `${round((100 * at) / seconds)}%`;
  let row = 0;
  let css = "";
  let body = "";
  for (const [index, { from, lines, typed }] of blocks.entries()) {
    css += `@keyframes b${index}{0%{opacity:0}${percent(from)},to{opacity:1}}\n`;
    css += `.b${index}{animation:b${index} ${round(seconds)}s step-end infinite}\n`;
    const texts = lines.flatMap((runs, at) => runs.map((run) => textOf(run, row + at)));
    if (typed > 0) {
      const keys = lines.flat().reduce((sum, { text }) => sum + text.length, 0) - 2;
      const [first, last] = [percent(from + pace.prompt), percent(from + pace.prompt + typed)];
      css += `@keyframes k${index}{0%,${first}{transform:none;animation-timing-function:steps(${keys})}${last},to{transform:scaleX(0)}}\n`;
      css += `.k${index}{animation:k${index} ${round(seconds)}s infinite}\n`;
      const [x, w] = [margin + 2 * cell.width, keys * cell.width];
      texts.push(
        `<rect class="cover k${index}" x="${round(x)}" y="${margin + row * cell.height}" width="${round(w)}" height="${cell.height}"/>`,
      );
    }
    body += `<g class="b${index}">\n${texts.join("\n")}\n</g>\n`;
    row += lines.length;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t">
<title id="t">${escaped(shots.map(({ text }) => stripVTControlCharacters(text)).join("\n"))}</title>
<style>
svg{--paper:#fff;--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--red:#b42318;--green:#116329;--yellow:#7d4e00;--blue:#0550ae}
@media (prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#e6edf3;--dim:#9198a1;--line:#3d444d;--red:#ff8a80;--green:#5fd37a;--yellow:#e3b341;--blue:#79c0ff}}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}
.paper{fill:var(--paper);stroke:var(--line)}.cover{fill:var(--paper);transform:scaleX(0);transform-origin:right;transform-box:fill-box}
.b{font-weight:700}.d{fill:var(--dim)}.c31{fill:var(--red)}.c32{fill:var(--green)}.c33{fill:var(--yellow)}.c36{fill:var(--blue)}
${css}@media (prefers-reduced-motion:reduce){g,.cover{animation:none!important}}
</style>
<rect class="paper" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${body}</svg>
`;
}

/** A drawing without what differs each time: times, durations, and hashes. */
export function stableTextOf(drawing: string): string {
  return drawing
    .replaceAll(/ textLength="[\d.]+"/g, "")
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "TIME")
    .replaceAll(/\b[0-9a-f]{12,64}\b/g, "HASH")
    .replaceAll(/\b\d+ s\b/g, "DURATION");
}

function timed(shots: readonly Shot[]): {
  readonly blocks: readonly Block[];
  readonly seconds: number;
} {
  const blocks: Block[] = [];
  let at = start;
  for (const { kind, text } of shots) {
    const lines = linesOf(kind, text).slice(at === start ? 1 : 0);
    const typed = kind === "command" ? text.length * pace.key : 0;
    blocks.push({ from: at, lines, typed });
    if (kind === "comment") at += pace.comment;
    else if (kind === "command") at += 2 * pace.prompt + typed;
    else at += pace.line * lines.length;
  }
  return { blocks, seconds: at + pace.end };
}

/** Wraps what is shown as a terminal does, and parts it by style. A comment has an empty line above it, and output one below its command. */
function linesOf(kind: Shot["kind"], text: string): readonly (readonly Run[])[] {
  if (kind === "comment") return [[], [{ column: 0, text: `# ${text}`, style: "d" }]];
  if (kind === "command") {
    return [
      [
        { column: 0, text: "$ ", style: "d" },
        { column: 2, text, style: "b" },
      ],
    ];
  }
  return text.split("\n").flatMap(wrapped);
}

function wrapped(line: string): readonly (readonly Run[])[] {
  const lines: Run[][] = [[]];
  let style: readonly string[] = [];
  let column = 0;
  for (const [index, part] of line.split("\u001B[").entries()) {
    const [code = "", ...texts] = index === 0 ? ["", part] : part.split(/(?<=^\d+)m/);
    if (code !== "") style = styled(style, Number(code));
    for (let rest = texts.join(""); rest !== "";) {
      if (column === cell.columns) {
        lines.push([]);
        column = 0;
      }
      const text = rest.slice(0, cell.columns - column);
      if (text.trim() !== "") lines.at(-1)?.push({ column, text, style: style.join(" ") });
      column += text.length;
      rest = rest.slice(text.length);
    }
  }
  return lines;
}

/** The classes after a code of the terminal (SGR). Throws for one that no class draws. */
function styled(style: readonly string[], code: number): readonly string[] {
  if (code === 1) return [...style, "b"];
  if (code === 2) return [...style, "d"];
  if (code === 22) return style.filter((each) => each !== "b" && each !== "d");
  if (code === 39) return style.filter((each) => !each.startsWith("c"));
  if ([31, 32, 33, 36].includes(code)) return [...style, `c${code}`];
  throw new Error(`the recording cannot draw the code ${code}`);
}

function textOf({ column, text, style }: Run, row: number): string {
  const inner = text.trimStart();
  const at = column + text.length - inner.length;
  const [x, y] = [margin + at * cell.width, margin + (row + 1) * cell.height - 5];
  const shown = inner.trimEnd();
  const named = style === "" ? "" : ` class="${style}"`;
  // The length keeps columns below each other in any font.
  return `<text${named} x="${round(x)}" y="${y}" textLength="${round(shown.length * cell.width)}">${escaped(shown)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
