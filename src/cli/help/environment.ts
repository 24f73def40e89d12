import { tokenVariable } from "../../desired/config/defaults.ts";

/** A variable of the environment that the program reads. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly meaning: string;
}

/** Every one of them. The documents, the help and the manual page have them from here. */
export const environmentVariables: readonly EnvironmentVariable[] = [
  {
    name: tokenVariable,
    meaning: "the token of the service, if the configuration names no other place",
  },
  { name: "ZONEWARDEN_CONFIG", meaning: "the configuration, if `--config` does not name it" },
  { name: "ZONEWARDEN_TRACE", meaning: "`1` prints the stack trace of an unexpected error" },
  {
    name: "ZONEWARDEN_REVISION",
    meaning: "the commit that the program was built from; the image sets it",
  },
  {
    name: "NO_COLOR",
    meaning: "switches colors off if it is not empty; `TERM=dumb` does the same",
  },
  { name: "FORCE_COLOR", meaning: "switches colors on in a pipe, unless it is `0` or empty" },
  {
    name: "NODE_DISABLE_COMPILE_CACHE",
    meaning: "keeps no compiled code in the cache directory (`XDG_CACHE_HOME`, or `~/.cache`)",
  },
  {
    name: "ZONEWARDEN_PAGE_URL",
    meaning: "the address of this process's status page, to which the pages of other replicas link",
  },
  {
    name: "GIT_CONFIG_GLOBAL",
    meaning:
      "with `GIT_CONFIG_SYSTEM` and `GIT_CONFIG_NOSYSTEM`: the configuration of Git. Git gets no other variable of its own: it finds the repository around the zone files",
  },
  {
    name: "KUBERNETES_SERVICE_HOST",
    meaning: "with `KUBERNETES_SERVICE_PORT`: the API server, in a pod of Kubernetes",
  },
];
