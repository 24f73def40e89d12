import { isDeepStrictEqual } from "node:util";

import type { Config } from "../../desired/config/config.ts";
import { ZoneMerger } from "../../desired/zones/merge-zone.ts";
import { offlineZone } from "../../desired/zones/offline-zone.ts";
import { stackZone } from "../../desired/zones/stack-zone.ts";
import type { EvidenceInput, EvidenceSubject } from "../../evidence/evidence-input.ts";
import type { FilesRevision } from "../../evidence/evidence-stories.ts";
import { GitError } from "../../host/git-files.ts";
import type { Host } from "../../host/host.ts";
import { hasErrors } from "../../host/load.ts";
import type { ZoneContent, ZoneDocument } from "../../zone/desired-zone.ts";
import { type Zone, zoneId, type ZoneName } from "../../zone/zone.ts";
import { startProgress } from "../output/progress.ts";
import { loadCommit } from "../session/load-commit.ts";

/** What a revision of the files declares; a text: why that is not known. */
type PastFiles = NonNullable<ReturnType<EvidenceInput["past"]["get"]>>;

/**
 * Reads the files of revisions from Git. That they are the files of the revision is proved by their hash: a history can name
 * any commit.
 */
export async function readPastFiles(
  revisions: readonly FilesRevision[],
  zones: readonly ZoneName[],
  { desired }: Config,
  host: Host,
  signal: AbortSignal,
): Promise<EvidenceInput["past"]> {
  const commits = new Map<string, string | undefined>();
  for (const { revision, commit } of revisions) {
    if (!isCommit(commits.get(revision))) commits.set(revision, commit);
  }
  const past = new Map<string, PastFiles>();
  using progress = startProgress("reading revisions", commits.size, host);
  for (const [revision, commit] of commits) {
    past.set(revision, await readOne(revision, commit, zones, desired.path, host, signal));
    progress.step();
  }
  return past;
}

async function readOne(
  revision: string,
  commit: string | undefined,
  zones: readonly ZoneName[],
  place: string,
  host: Host,
  signal: AbortSignal,
): Promise<PastFiles> {
  if (!isCommit(commit)) return whyNoCommit(commit);
  try {
    // A rule of today makes no error of what was a warning then.
    const { state } = await loadCommit(commit, place, [], host, signal, zones);
    if (state.revision !== revision) return "the commit has other files than those that were used";
    if (hasErrors(state.diagnostics)) return "the files have errors";
    return new Map(zones.map((zone) => [zone, declaredSubject(zone, state.documents).declared]));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return error.message;
  }
}

function isCommit(text: string | undefined): text is string {
  return text !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

function whyNoCommit(label: string | undefined): string {
  if (label?.endsWith("-dirty") === true) return "the files were changed and not committed";
  return "the history names no commit that has them";
}

/** A zone as the files declare it, as far as they tell without the service's listing of zones. */
export function declaredSubject(
  zone: ZoneName,
  documents: readonly ZoneDocument[],
): EvidenceSubject {
  const content = contentOf(zone, documents);
  if (typeof content === "string") return { zone, declared: content };
  return { zone, declared: { scripts: content.scripts, policies: content.policies?.items ?? [] } };
}

const needsListing =
  "it depends on what the service lists of the zone, and this command asks no service";

function contentOf(name: ZoneName, documents: readonly ZoneDocument[]): ZoneContent | string {
  const { documents: own, uncertain } = offlineZone(name, documents);
  const [only] = own;
  if (only === undefined) return "no file declares the zone by its name";
  if (uncertain.size > 0) return needsListing;
  if (only.needsListing !== true) return only.content;
  // What is the same for two listings depends on the name alone.
  const merger = new ZoneMerger();
  const [first, second] = ["a", "b"].map(
    (sign) => stackZone(own, listed(name, sign), merger).content,
  );
  if (first === undefined || second === undefined) return needsListing;
  const isSame =
    isDeepStrictEqual(first.scripts, second.scripts) &&
    isDeepStrictEqual(first.policies, second.policies);
  return isSame ? first : needsListing;
}

/** A listing that the service could give of a zone. */
function listed(name: ZoneName, sign: string): Zone {
  const id = zoneId(sign.repeat(32));
  if (id === undefined) throw new Error(`${sign} is no digit`);
  return { id, name, accountId: id, accountName: sign, status: sign, tier: sign };
}
