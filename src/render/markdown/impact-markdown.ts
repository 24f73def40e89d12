import type { ZoneImpact } from "../../impact/zone-impact.ts";
import { plural } from "../../state/plural.ts";
import { renderImpacts } from "../text/impact-text.ts";
import { fenced } from "./markdown.ts";

/** A comment takes no more beside the plan itself. */
const mostLines = 150;

/** What plans do to what was really detected, folded away below the plan of a pull request. */
export function impactMarkdown(impacts: readonly ZoneImpact[]): string {
  const lines = renderImpacts(impacts, { color: false }).split("\n");
  const left = lines.length - mostLines;
  const shown = [
    ...lines.slice(0, mostLines),
    ...(left > 0 ? [`… ${plural(left, "more line")}: zonewarden plan --impact shows all`] : []),
  ];
  const summary = "What this does to scripts, connections and managed rules that are really there";
  return `<details><summary>${summary}</summary>\n\n${fenced("text", shown)}\n</details>\n`;
}
