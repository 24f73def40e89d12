import type { DiffEntry } from "node:util";

import type { FieldChange } from "../../plan/change.ts";
import { html, type Html, type Part } from "../../render/html.ts";
import { listDiff } from "../../syntax/list-diff.ts";

type Side = FieldChange["before"];

/** Both sides of a field, with the differences marked. */
export function renderSides(
  before: Side,
  after: Side,
): { readonly before: Html; readonly after: Html } {
  const pieces = compared(piecesOf(before), piecesOf(after));
  const old = pieces.filter(([operation]) => operation >= 0);
  const fresh = pieces.filter(([operation]) => operation <= 0);
  return {
    before: valueOf(
      before,
      old.map(([operation, piece]) => (operation === 0 ? piece : html`<del>${piece}</del>`)),
    ),
    after: valueOf(
      after,
      fresh.map(([operation, piece]) => (operation === 0 ? piece : html`<ins>${piece}</ins>`)),
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

/** Pieces of both values together, of which no more are compared. */
const mostCompared = 3_000;

/** Pieces of both sides, as {@link listDiff} has them; what is not compared is one piece. */
function compared(before: readonly string[], after: readonly string[]): readonly DiffEntry[] {
  return (
    listDiff(before, after, mostCompared) ?? [
      [1, before.join("")],
      [-1, after.join("")],
    ]
  );
}

/** Words and spaces of a text or of a list of texts, lines of any other value. */
function piecesOf(side: Side): readonly string[] {
  if (side === undefined) return [];
  if (typeof side === "string") return side.match(/\s+|[;,()]|[^\s;,()]+/g) ?? [];
  const isList = Array.isArray(side) && side.length > 0;
  if (isList && side.every((each) => typeof each === "string")) return piecesOf(side.join(", "));
  return JSON.stringify(side, undefined, 2).split(/(?<=\n)/);
}
