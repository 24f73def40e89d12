import stringWidth from "string-width";

import type { Table } from "../../render/inventory-formats.ts";

/** A table as text. Columns are separated by spaces and aligned by the width that characters have on a terminal. */
export function tableText({ head, rows }: Table): string {
  const lines = [head.map((name) => name.toUpperCase()), ...rows];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((cells) => stringWidth(cells[column] ?? ""))),
  );
  const padded = (cell: string, column: number): string =>
    cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell));
  return lines.map((cells) => cells.map(padded).join("  ").trimEnd()).join("\n");
}
