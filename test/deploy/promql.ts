/** A metric as an expression names it, with the labels it is selected by. */
export interface Selection {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** One condition on a label. */
export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** What an expression names. */
export interface Names {
  readonly selections: readonly Selection[];
  /** Labels in `by`, `without`, `on`, `ignoring`, `group_left` and `group_right`. */
  readonly grouping: readonly string[];
}

const keywords = new Set(
  "and or unless bool offset start end inf nan by without on ignoring group_left group_right".split(
    " ",
  ),
);

/**
 * The metrics and labels that a PromQL expression names.
 *
 * No full parser: promtool judges the syntax. What is read here is every word that is no function, keyword, duration
 * or text, and what stands in braces and in label lists.
 */
export function namesIn(expr: string): Names {
  const grouping: string[] = [];
  const withoutLists = expr.replace(
    /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g,
    (_whole, list: string) => {
      grouping.push(
        ...list
          .split(",")
          .map((label) => label.trim())
          .filter((label) => label !== ""),
      );
      return " ";
    },
  );
  const pattern = /"[^"]*"|\[[^\]]*\]|\b\d\w*|([a-zA-Z_:][\w:]*)\s*(\{[^}]*\}|\()?/g;
  const selections: Selection[] = [];
  for (const [, word, next] of withoutLists.matchAll(pattern)) {
    if (word === undefined || next === "(" || keywords.has(word.toLowerCase())) continue;
    selections.push({ metric: word, matchers: matchersIn(next ?? "") });
  }
  return { selections, grouping };
}

function matchersIn(braces: string): readonly Matcher[] {
  return [...braces.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
    ([, label = "", operator = "", value = ""]) => ({ label, operator, value }),
  );
}
