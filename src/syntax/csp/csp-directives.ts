/**
 * Value of a directive: a source list, nothing, or other tokens. Only source lists are
 * case-insensitive.
 */
type CspValueKind = "sources" | "flag" | "tokens";

export interface CspDirectiveFacts {
  readonly value: CspValueKind;
  /** Whether a policy may contain it (SERVICE.md E.1). */
  readonly accepted: boolean;
  /** Directives that apply if this one is absent, nearest first (SERVICE.md E.2). */
  readonly fallback: readonly string[];
  /** Whether pages nearly always need `'self'` in it. */
  readonly needsSelf: boolean;
}

/** Directives of CSP Level 3 and related specifications. */
export const cspDirectives: ReadonlyMap<string, CspDirectiveFacts> = new Map([
  ["default-src", fetched([], true)],
  ["script-src", fetched(["default-src"], true)],
  ["style-src", fetched(["default-src"], true)],
  ["connect-src", fetched(["default-src"], true)],
  ["img-src", fetched(["default-src"], true)],
  ["font-src", fetched(["default-src"], false)],
  ["object-src", fetched(["default-src"], false)],
  ["media-src", fetched(["default-src"], false)],
  ["manifest-src", fetched(["default-src"], false)],
  ["child-src", fetched(["default-src"], false)],
  ["frame-src", fetched(["child-src", "default-src"], false)],
  ["worker-src", fetched(["child-src", "script-src", "default-src"], false)],
  ["form-action", fetched([], true)],
  ["base-uri", fetched([], false)],
  ["frame-ancestors", fetched([], false)],
  ["upgrade-insecure-requests", { ...fetched([], false), value: "flag" }],
  ["script-src-elem", refused(["script-src", "default-src"])],
  ["script-src-attr", refused(["script-src", "default-src"])],
  ["style-src-elem", refused(["style-src", "default-src"])],
  ["style-src-attr", refused(["style-src", "default-src"])],
  ["prefetch-src", refused(["default-src"])],
  ["navigate-to", refused([])],
  ["fenced-frame-src", refused(["frame-src", "child-src", "default-src"])],
  ...withoutSources(),
] satisfies [string, CspDirectiveFacts][]);

/** Names of the directives that a policy may contain. */
export const acceptedDirectives: readonly string[] = [...cspDirectives]
  .filter(([, facts]) => facts.accepted)
  .map(([name]) => name);

function fetched(fallback: readonly string[], needsSelf: boolean): CspDirectiveFacts {
  return { value: "sources", accepted: true, fallback, needsSelf };
}

function refused(fallback: readonly string[]): CspDirectiveFacts {
  return { ...fetched(fallback, false), accepted: false };
}

function withoutSources(): readonly [string, CspDirectiveFacts][] {
  return [
    "block-all-mixed-content",
    "sandbox",
    "plugin-types",
    "referrer",
    "reflected-xss",
    "report-to",
    "report-uri",
    "require-sri-for",
    "require-trusted-types-for",
    "trusted-types",
    "webrtc",
  ].map((name) => [name, { ...refused([]), value: "tokens" }]);
}
