import type { Phase } from "../../syntax/expression/advice/advise-expression.ts";
import type { Path } from "../location.ts";

/**
 * When the service evaluates what is at a path of a zone or profile: policies and what a rate limit
 * counts once the response is there, all else before (SERVICE.md A.6, B.4 and B.11).
 */
export function phaseAt(path: Path): Phase {
  const [section] = path;
  if (section === "page_shield" || path.at(-1) === "counting_expression") return "response";
  return section === "rate_limiting_rules" ? "ratelimit" : "request";
}
