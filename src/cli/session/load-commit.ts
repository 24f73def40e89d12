import type { LintRule } from "../../desired/lint.ts";
import { type LoadedFiles, ZoneFileLoader } from "../../desired/load/zone-file-loader.ts";
import { filesOfRevision } from "../../host/git-files.ts";
import type { Host } from "../../host/host.ts";
import { filesOf } from "../../memory/stored-revision.ts";
import type { ZoneName } from "../../zone/zone.ts";

/** The zone files as a Git revision has them. */
interface CommittedState {
  /** The commit that the reference names. */
  readonly commit: string;
  readonly state: LoadedFiles;
}

/**
 * Loads the zone files at an absolute path as a Git revision has them. Throws a `GitError` if there is no Git, no
 * repository or no such revision.
 *
 * @param zones loads only files that may concern these zones; omitted: all files.
 */
export async function loadCommit(
  reference: string,
  place: string,
  lint: readonly LintRule[],
  host: Pick<Host, "files" | "clock">,
  signal: AbortSignal,
  zones?: readonly ZoneName[],
): Promise<CommittedState> {
  const isFile = (await host.files.facts(place)).kind === "file";
  const { commit, files: contents } = await filesOfRevision(place, isFile, reference, signal);
  const files = filesOf(place, contents, isFile);
  const only = zones === undefined ? {} : { zones };
  const loader = new ZoneFileLoader({ path: place, files, clock: host.clock, lint, ...only });
  return { commit, state: await loader.load(signal) };
}
