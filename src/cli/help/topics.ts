/** A topic of `zonewarden help`: a section of a document, with the sections below it. */
export interface Topic {
  /** Relative to `docs/`. */
  readonly file: string;
  /** The heading of the section. */
  readonly heading: string;
}

/** The topics, in the order of the help. */
export const topics = {
  configuration: { file: "files.md", heading: "The configuration" },
  environment: { file: "command-line.md", heading: "Environment variables" },
  "exit-codes": { file: "command-line.md", heading: "Exit codes" },
  "zone-files": { file: "files.md", heading: "Keys of zone files" },
  selectors: { file: "files.md", heading: "Name a zone" },
  policies: { file: "files.md", heading: "Declare policies" },
  rules: { file: "files.md", heading: "Declare managed rules" },
  profiles: { file: "files.md", heading: "Share values with profiles" },
  placeholders: { file: "files.md", heading: "Write something once for many zones" },
  ownership: { file: "concepts.md", heading: "Ownership" },
  causes: { file: "concepts.md", heading: "Drift and pending changes" },
  guards: { file: "safety.md", heading: "Guards" },
  holds: { file: "safety.md", heading: "Release a hold" },
  modes: { file: "safety.md", heading: "Stop writes" },
  "pull-requests": { file: "pull-requests.md", heading: "Pull requests" },
  permissions: { file: "api-use.md", heading: "Permissions" },
  signals: { file: "operations.md", heading: "Run the daemon" },
  words: { file: "glossary.md", heading: "Glossary" },
} as const satisfies Readonly<Record<string, Topic>>;
