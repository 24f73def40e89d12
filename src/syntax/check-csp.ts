import { parseCsp } from "./csp.ts";
import type { Finding } from "./finding.ts";

/** Everything that is wrong with a policy, in the order of the text. */
export function checkCsp(text: string): readonly Finding[] {
  return parseCsp(text).findings;
}
