import { styleText } from "node:util";

/** Colours a text for a terminal, or leaves it as it is. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** A {@link Paint} that colours, or one that does not. */
export function paintOf(color: boolean): Paint {
  return color
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text;
}
