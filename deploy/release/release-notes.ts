import { repositoryAddress } from "./provenance.ts";

/** `## 0.1.0 - 2026-11-30` */
const headingPattern = /^## (?<version>\S+)(?: - (?<date>\d{4}-\d{2}-\d{2}))?$/gm;

/**
 * What a changelog says of a version, with links that work outside the repository. Throws where `tag` is not that of the version, or the
 * changelog has no dated section with a text.
 */
export function releaseNotes(changelog: string, version: string, tag: string): string {
  if (tag !== `v${version}`) {
    throw new Error(`the tag ${tag} is not that of package.json, v${version}`);
  }
  const headings = [...changelog.matchAll(headingPattern)];
  const at = headings.findIndex(({ groups }) => groups?.["version"] === version);
  const heading = headings[at];
  if (heading?.groups?.["date"] === undefined) {
    throw new Error(`CHANGELOG.md has no section "## ${version} - YYYY-MM-DD"`);
  }
  const end = headings[at + 1]?.index;
  const text = changelog.slice(heading.index + heading[0].length, end).trim();
  if (text === "") throw new Error(`CHANGELOG.md says nothing of ${version}`);
  const files = `${repositoryAddress}/blob/${tag}/`;
  return `${text.replaceAll(/\]\((?!https?:|#)/g, `](${files}`)}\n`;
}
