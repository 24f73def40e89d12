import path from "node:path";

import type { Host } from "../../host/host.ts";
import { existingOf, type NewFile } from "../output/new-files.ts";
import { type InitFlags, ownersIn } from "./answers.ts";
import type { Questions } from "./questions.ts";
import { ownersFiles, ownersText, workflowFile, workflowText } from "./starter-files.ts";

/** The Git repository around the working directory. */
export interface Repository {
  readonly config: string;
  readonly directory: string;
  /** Where it begins, relative to the working directory; "" for the working directory; `undefined` where there is none. */
  readonly root: string | undefined;
}

/** Finds the repository. Paths in it are relative to the working directory. */
export async function repositoryAt(
  config: string,
  directory: string,
  host: Host,
): Promise<Repository> {
  const inPlace = (file: string): string =>
    path.relative(host.directory, path.resolve(host.directory, file));
  const facts = { config: inPlace(config), directory: inPlace(directory) };
  for (let place = host.directory; ; place = path.dirname(place)) {
    if (await host.namedFiles.exists(path.join(place, ".git"))) {
      return { ...facts, root: path.relative(host.directory, place) };
    }
    if (path.dirname(place) === place) return { ...facts, root: undefined };
  }
}

/** The files for GitHub, and the lines for a CODEOWNERS that exists already, which is never rewritten. */
export interface RepositoryFiles {
  readonly files: readonly NewFile[];
  readonly ownersLines: string;
}

/** Asks which files GitHub gets. They belong to the root of the repository: elsewhere, GitHub does not read them. */
export async function repositoryFiles(
  repository: Repository,
  { workflow, owners }: InitFlags,
  questions: Questions,
  host: Host,
): Promise<RepositoryFiles> {
  if (!isAtRoot(repository)) {
    const where = "in the root of the repository, with the files below it";
    host.stderr.write(
      `no workflow and no CODEOWNERS are written: GitHub reads them only ${where}\n`,
    );
    return { files: [], ownersLines: "" };
  }
  const text = `Write ${workflowFile}, which checks pull requests on GitHub?`;
  const hasWorkflow = await questions.agrees(text, true, workflow);
  const approvers = await questions.value(
    {
      text: "Who must approve changes on GitHub? @user or @org/team; empty for nobody",
      byDefault: "",
      read: ownersIn,
    },
    owners,
  );
  const { config, directory } = repository;
  const lines = approvers.length === 0 ? "" : ownersText(config, directory, approvers);
  const hasOwners = (await existingOf(ownersFiles, host.directory, host)).length > 0;
  const files = [
    ...(hasWorkflow ? [{ file: workflowFile, text: workflowText(config) }] : []),
    ...(lines === "" || hasOwners ? [] : [{ file: ownersFiles[0], text: lines }]),
  ];
  return { files, ownersLines: hasOwners ? lines : "" };
}

function isAtRoot({ root = "", config, directory }: Repository): boolean {
  return root === "" && [config, directory].every((each) => !each.startsWith(".."));
}
