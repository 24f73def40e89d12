import { forceOf, type PolicyTerms } from "../plan/policies/policy-terms.ts";
import { cspRuling } from "../syntax/csp/csp-match.ts";
import type { NamedSource, Verdict } from "./policy-judge.ts";

/** Kinds of sources that could match something that is seen. */
const matching: ReadonlySet<string> = new Set(["host", "scheme", "self", "star"]);

/** Keeps account of which sources of a policy match something that was seen. */
export class UsedSources {
  readonly #sources: ReadonlyMap<string, NamedSource>;
  readonly #used = new Set<string>();

  constructor(policy: PolicyTerms | undefined) {
    const force = forceOf(policy);
    const rulings =
      policy !== undefined && (force === "blocks" || force === "reports")
        ? [cspRuling(policy.value, "script"), cspRuling(policy.value, "connection")]
        : [];
    const sources = rulings.flatMap((ruling) =>
      (ruling?.sources ?? [])
        .filter(({ kind }) => matching.has(kind))
        .map((source) => ({ directive: ruling?.directive ?? "", source })),
    );
    this.#sources = new Map(sources.map((each) => [nameOf(each), each]));
  }

  /** Counts the sources that let something in. */
  note(verdict: Verdict): void {
    if (verdict.kind !== "allowed") return;
    for (const each of verdict.by) this.#used.add(nameOf(each));
  }

  /** The sources that matched nothing. */
  unseen(): readonly NamedSource[] {
    return [...this.#sources].filter(([name]) => !this.#used.has(name)).map(([, each]) => each);
  }
}

function nameOf({ directive, source }: NamedSource): string {
  return `${directive} ${source.text}`;
}
