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
    meaning: "the token of the service, where the configuration names no other place",
  },
  { name: "ZONEWARDEN_CONFIG", meaning: "the configuration, where `--config` does not name it" },
  { name: "ZONEWARDEN_TRACE", meaning: "`1` prints the stack trace of an unexpected error" },
  {
    name: "ZONEWARDEN_REVISION",
    meaning: "the commit that the program was built from; the image sets it",
  },
  {
    name: "NO_COLOR",
    meaning: "switches colors off where it is not empty; `TERM=dumb` does the same",
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
    name: "GIT_WORK_TREE",
    meaning:
      "where the files of Git's repository begin. Without it, `GIT_DIR` is ignored: Git finds both from the directory of the zone files",
  },
  {
    name: "KUBERNETES_SERVICE_HOST",
    meaning: "with `KUBERNETES_SERVICE_PORT`: the API server, in a pod of Kubernetes",
  },
];
