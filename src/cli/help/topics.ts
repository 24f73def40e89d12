import { tokenVariable } from "../../desired/config/defaults.ts";

/** A topic of `zonewarden help`: a section of a document, with the sections below it. */
export interface Topic {
  /** Relative to `docs/`. */
  readonly file: string;
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
  rules: { file: "files.md", heading: "Declare rules" },
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

/** Every one with its meaning. The documents, the help and the manual page have them from here. */
export const environmentVariables: Readonly<Record<string, string>> = {
  [tokenVariable]: "the token of the service, if the configuration names no other place",
  ZONEWARDEN_CONFIG: "the configuration, if `--config` does not name it",
  USER: "who asks for a rollout to change, if `--by` does not say it",
  ZONEWARDEN_TRACE: "`1` prints the stack trace of an unexpected error",
  ZONEWARDEN_REVISION: "the commit that the program was built from; the image sets it",
  NO_COLOR: "switches colors off if it is not empty; `TERM=dumb` does the same",
  FORCE_COLOR: "switches colors on in a pipe, unless it is `0` or empty",
  NODE_DISABLE_COMPILE_CACHE:
    "keeps no compiled code in the cache directory (`XDG_CACHE_HOME`, or `~/.cache`)",
  HTTPS_PROXY:
    "the proxy through which https requests go, such as http://proxy.example.com:3128; also in lower case",
  NO_PROXY: "hosts that are reached without this proxy, separated by commas; also in lower case",
  ZONEWARDEN_PAGE_URL:
    "the address of this process's status page, to which the pages of other replicas link",
  GIT_CONFIG_GLOBAL:
    "with `GIT_CONFIG_SYSTEM` and `GIT_CONFIG_NOSYSTEM`: the configuration of Git. Git gets no other variable of its own: it finds the repository around the zone files",
  KUBERNETES_SERVICE_HOST: "with `KUBERNETES_SERVICE_PORT`: the API server, in a pod of Kubernetes",
  ZONEWARDEN_POD_NAME:
    "with `ZONEWARDEN_POD_UID`: the pod, which Events are about; the manifests set both",
};
