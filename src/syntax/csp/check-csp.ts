import { finding, inTextOrder } from "../finding.ts";
import type { SyntaxDiagnostic, Span } from "../finding.ts";
import { nearestOfMany } from "../nearest.ts";
import { checkCspSources } from "./check-csp-sources.ts";
import { acceptedDirectives, cspDirectives } from "./csp-directives.ts";
import { parseCsp } from "./csp.ts";
import type { CspDirective } from "./csp.ts";

type Suggest = ReturnType<typeof nearestOfMany>;

/** Everything that is wrong with a policy, in the order of the text. */
export function checkCsp(text: string): readonly SyntaxDiagnostic[] {
  const { directives, findings } = parseCsp(text);
  if (directives.length === 0) {
    const span = { offset: 0, length: text.length };
    const remedy = "write a directive, such as script-src 'self'";
    return [finding("CSP_EMPTY", span, "the policy has no directive", remedy)];
  }
  const names = new Set<string>();
  const suggest = nearestOfMany([...cspDirectives.keys()]);
  const found = directives.flatMap((directive) => {
    if (names.has(directive.name)) return [repeated(directive)];
    names.add(directive.name);
    return checkDirective(directive, suggest);
  });
  return inTextOrder([...findings, ...found]);
}

function checkDirective(directive: CspDirective, suggest: Suggest): readonly SyntaxDiagnostic[] {
  const facts = cspDirectives.get(directive.name);
  if (facts === undefined) return [unknown(directive, suggest)];
  if (!facts.accepted) return [unsupported(directive)];
  if (facts.value === "flag") return unexpectedValue(directive);
  if (directive.sources.length > 0) return checkCspSources(directive, facts);
  const message = `${directive.name} has no source, which allows nothing`;
  return [finding("CSP_EMPTY_DIRECTIVE", directive, message, "write 'none' if that is meant")];
}

function repeated(directive: CspDirective): SyntaxDiagnostic {
  const message = `${directive.name} stands here again; browsers heed the first one only`;
  return finding(
    "CSP_REPEATED_DIRECTIVE",
    directive,
    message,
    "write all its sources in one place",
  );
}

function unknown(directive: CspDirective, suggest: Suggest): SyntaxDiagnostic {
  const isHeader = directive.name.startsWith("content-security-policy");
  const near = isHeader ? undefined : suggest(directive.name);
  const remedy = isHeader
    ? "write the directives alone, without the name of the header"
    : near === undefined
      ? `the service accepts ${acceptedDirectives.join(", ")}`
      : `did you mean "${near}"?`;
  const message = `there is no directive called ${shortened(directive.name)}`;
  return finding("CSP_UNKNOWN_DIRECTIVE", directive, message, remedy);
}

function unsupported(directive: CspDirective): SyntaxDiagnostic {
  const message = `the service does not accept ${directive.name}`;
  const base = directive.name.replace(/-(?:elem|attr)$/, "");
  const remedy =
    base !== directive.name
      ? `write ${base}`
      : directive.name.startsWith("report-")
        ? "take it out: the service adds its own reporting"
        : "take it out";
  return finding("CSP_UNSUPPORTED_DIRECTIVE", directive, message, remedy);
}

function unexpectedValue({ name, sources }: CspDirective): readonly SyntaxDiagnostic[] {
  const [first] = sources;
  const last = sources.at(-1);
  if (first === undefined || last === undefined) return [];
  const span: Span = { offset: first.offset, length: last.offset + last.length - first.offset };
  return [finding("CSP_UNEXPECTED_VALUE", span, `${name} takes no value`, "write its name alone")];
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
