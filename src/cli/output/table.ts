import Table3 from "cli-table3";

import type { Table } from "../../render/inventory-formats.ts";

const none = "";

/** Only spaces between the columns, so that they can be copied. */
const frame = {
  top: none,
  "top-mid": none,
  "top-left": none,
  "top-right": none,
  bottom: none,
  "bottom-mid": none,
  "bottom-left": none,
  "bottom-right": none,
  left: none,
  "left-mid": none,
  mid: none,
  "mid-mid": none,
  right: none,
  "right-mid": none,
  middle: "  ",
};

/** A table as text. Columns are aligned by the width that characters have on a terminal. */
export function tableText({ head, rows }: Table): string {
  const table = new Table3({
    chars: frame,
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    head: head.map((name) => name.toUpperCase()),
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
