import { createHash } from "node:crypto";

import type { Problem } from "../zone/problem.ts";
import { keyProblems } from "./key-problems.ts";
import type { Layer } from "./layer.ts";
import type { Located } from "./located.ts";
import { meaningProblems } from "./meaning.ts";
import { maxProblems, problemOfFile } from "./problem-of.ts";
import { textOf } from "./read-text.ts";
import { shapeProblems, zoneFileShape } from "./schema.ts";
import { silencesIn } from "./silence.ts";
import type { Silence } from "./silence.ts";
import { readYaml } from "./yaml-text.ts";
import type { ZoneEntry, ZoneFile } from "./zone-file.ts";

/** An entry of `zones:` as it stands in its file. */
export interface ZoneLayer extends Layer {
  readonly content: ZoneEntry;
}

/** A file by itself: what it says, before profiles of other files come in. */
export interface ParsedFile {
  /** Relative to the directory. */
  readonly file: string;
  /** Of its bytes. */
  readonly hash: string;
  /** For problems that are shown with their line. */
  readonly text: string;
  /** Whether nothing in it is an error. */
  readonly usable: boolean;
  readonly profiles: readonly Layer[];
  readonly zones: readonly ZoneLayer[];
  readonly problems: readonly Problem[];
  readonly silences: readonly Silence[];
}

/** The hash by which two versions of a file are told apart. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A file that could not even be read. Its hash is what is wrong with it. */
export function unusableFile(file: string, problem: Problem): ParsedFile {
  const nothing = { profiles: [], zones: [], silences: [] };
  return { file, hash: problem.code, text: "", usable: false, problems: [problem], ...nothing };
}

/** Reads one file by itself: syntax, schema, and the meaning of each value. */
export function parseFile(file: string, hash: string, bytes: Uint8Array): ParsedFile {
  const { text, problem } = textOf(file, bytes);
  if (text === undefined) return { ...unusableFile(file, problem), hash };
  const yaml = readYaml(file, text);
  const problems = [...yaml.problems];
  if (problems.length === 0 && yaml.documents.length === 0) problems.push(saysNothing(file));
  const profiles: Layer[] = [];
  const zones: ZoneLayer[] = [];
  for (const value of yaml.documents) {
    const document: Located = { source: yaml.source, offsets: yaml.offsets, value };
    if (!zoneFileShape(value)) {
      problems.push(...shapeProblems(zoneFileShape, document));
      continue;
    }
    profiles.push(...profilesIn(value, document));
    zones.push(...zonesIn(value, document));
  }
  const layers = [...profiles, ...zones];
  problems.push(...layers.flatMap((layer) => layerProblems(layer, text)));
  const usable = problems.every(({ severity }) => severity !== "error");
  return {
    file,
    hash,
    text,
    usable,
    profiles,
    zones,
    problems: capped(file, problems),
    silences: silencesIn(text),
  };
}

function capped(file: string, problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= maxProblems) return problems;
  const words = {
    message: `the file has more than ${maxProblems} problems; these are the first`,
    remedy: "mend these first",
  };
  return [...problems.slice(0, maxProblems), problemOfFile(file, "TOO_MANY_PROBLEMS", words)];
}

function layerProblems(layer: Layer, text: string): readonly Problem[] {
  return [...keyProblems(layer), ...meaningProblems(layer, text)];
}

function profilesIn(value: ZoneFile, document: Located): readonly Layer[] {
  return Object.entries(value.profiles ?? {}).map(([name, content]) => ({
    document,
    path: ["profiles", name],
    profile: name,
    content,
  }));
}

function zonesIn(value: ZoneFile, document: Located): readonly ZoneLayer[] {
  return (value.zones ?? []).map((content, index) => ({
    document,
    path: ["zones", index],
    profile: undefined,
    content,
  }));
}

function saysNothing(file: string): Problem {
  return problemOfFile(file, "FILE_EMPTY", {
    message: "the file says nothing",
    remedy: "write `zones:` with what shall be, or delete the file",
  });
}
