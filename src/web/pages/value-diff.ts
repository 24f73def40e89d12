import { diff } from "node:util";

import type { FieldChange } from "../../plan/change.ts";
import { html, type Html, type Part } from "../../render/html.ts";

type Side = FieldChange["before"];

/** Both sides of a field, with the differences marked. */
export function renderSides(
  before: Side,
  after: Side,
): { readonly before: Html; readonly after: Html } {
  const entries = compared(piecesOf(before), piecesOf(after));
  return {
    before: valueOf(
      before,
      entries
        .filter(({ side }) => side !== "after")
        .map(({ side, piece }) => (side === "both" ? piece : html`<del>${piece}</del>`)),
    ),
    after: valueOf(
      after,
      entries
        .filter(({ side }) => side !== "before")
        .map(({ side, piece }) => (side === "both" ? piece : html`<ins>${piece}</ins>`)),
    ),
  };
}

/** A value without another side. */
export function renderValue(value: Side): Html {
  return valueOf(value, piecesOf(value));
}

function valueOf(side: Side, pieces: readonly Part[]): Html {
  if (side === undefined) return html`<span class="quiet">none</span>`;
  if (side === "") return html`<span class="quiet">empty</span>`;
  return html`<code class="value">${pieces}</code>`;
}

interface Piece {
  readonly side: "before" | "after" | "both";
  readonly piece: string;
}

/** Longer values are not compared: the diff is quadratic and blocks the process. */
const mostCompared = 3_000;

function compared(before: readonly string[], after: readonly string[]): readonly Piece[] {
  // node:util's diff fails on two empty lists; with one that is empty there is nothing to compare either.
  const isEmpty = before.length === 0 || after.length === 0;
  if (isEmpty || before.length + after.length > mostCompared) {
    return [
      { side: "before", piece: before.join("") },
      { side: "after", piece: after.join("") },
    ];
  }
  return diff(before, after).map(([operation, piece]) => ({ side: sideOf(operation), piece }));
}

function sideOf(operation: number): Piece["side"] {
  if (operation === 0) return "both";
  return operation > 0 ? "before" : "after";
}

/** Words and spaces of a text, lines of any other value. */
function piecesOf(side: Side): readonly string[] {
  if (side === undefined) return [];
  if (typeof side === "string") return side.match(/\s+|[;,()]|[^\s;,()]+/g) ?? [];
  return JSON.stringify(side, undefined, 2).split(/(?<=\n)/);
}
