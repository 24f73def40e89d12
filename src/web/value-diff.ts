import type { FieldChange } from "../plan/change.ts";
import { html, type Html } from "./html.ts";

/** One side of a field, as a reader sees it. */
type Side = FieldChange["before"];

/** Both sides of a field, with what is only on one of them marked. */
export function renderSides(before: Side, after: Side): { before: Html; after: Html } {
  const old = piecesOf(before);
  const now = piecesOf(after);
  return {
    before: sideOf(before, old, new Set(now), (text) => html`<del>${text}</del>`),
    after: sideOf(after, now, new Set(old), (text) => html`<ins>${text}</ins>`),
  };
}

function sideOf(
  side: Side,
  pieces: readonly string[],
  others: ReadonlySet<string>,
  mark: (text: string) => Html,
): Html {
  if (side === undefined) return html`<span class="quiet">none</span>`;
  if (side === "") return html`<span class="quiet">empty</span>`;
  return html`<code class="value"
    >${pieces.map((piece) =>
      piece.trim() === "" || others.has(piece) ? piece : mark(piece),
    )}</code
  >`;
}

/** Words of a text, lines of anything else; what separates them is a piece as well, so that nothing is lost. */
function piecesOf(side: Side): readonly string[] {
  if (side === undefined) return [];
  if (typeof side === "string") return side.split(/(\s+|[;,()])/).filter((piece) => piece !== "");
  return JSON.stringify(side, undefined, 2).split(/(\n\s*)/);
}
