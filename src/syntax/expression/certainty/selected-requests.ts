import { remembered } from "../../remembered.ts";
import type { Expression } from "../expression-tree.ts";
import { CertaintyJudge } from "./certainty-judge.ts";

/** What is known of an expression without its tree. */
export interface SelectedRequests {
  /** Whether it certainly selects no request. */
  readonly isNever: boolean;
  /** Whether it can select one, and the judge did not give up. */
  readonly isPossible: boolean;
  /** A host of which it can select a request, if nothing else in it depends on the zone. */
  readonly host: string | undefined;
}

/** What an expression can select; `treeOf` gives its tree, or `undefined` if it is invalid. */
export function selectedBy(
  expression: string,
  treeOf: (expression: string) => Expression | undefined,
): SelectedRequests {
  return selections(expression, () => judged(expression, treeOf(expression)));
}

/**
 * A zone file is checked before zones are merged from it, so that each expression of a large fleet
 * is needed twice, long after each other.
 */
const selections = remembered<SelectedRequests>(50_000);

function judged(expression: string, tree: Expression | undefined): SelectedRequests {
  if (tree === undefined) return { isNever: false, isPossible: false, host: undefined };
  const judge = new CertaintyJudge();
  const [known] = judge.waysToSelect([tree]).take(1);
  const isPossible = known !== undefined && !judge.gaveUp;
  const hasHost = isPossible && !zoneFields.test(expression);
  const host = hasHost ? known.values.exampleOf("http.host") : undefined;
  return { isNever: known === undefined, isPossible, host };
}

/** What else than the host itself can depend on the zone. */
const zoneFields = /full_uri|cf\.zone|raw\.http\.host|\b(?:any|all)\s*\(/;
