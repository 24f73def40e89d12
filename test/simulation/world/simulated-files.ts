import { MemoryDisk } from "../../support/memory-files.ts";
import { type DeclaredZones, zoneFile } from "../declared.ts";
import type { FileEvent } from "../disturbances.ts";
import { type StoryName, type VersionName, zonesOf } from "../stories.ts";

const versionOf = {
  files_edited: "edited",
  files_other: "other",
  files_first: "first",
  files_dropped: "dropped",
  files_suspended: "suspended",
  files_mass: "mass",
} as const satisfies Partial<Record<FileEvent, VersionName>>;

/** A process stores a new revision within this time. */
const storeMs = 200;

/** The zone files, and what they declare. */
export class SimulatedFiles {
  readonly disk: MemoryDisk = new MemoryDisk();
  readonly #story: StoryName;
  #version: VersionName | "spoilt" = "first";
  #declared: DeclaredZones = {};
  #declaredVersion: VersionName = "first";
  #changedAt = -Infinity;

  constructor(story: StoryName) {
    this.#story = story;
    this.#put("first");
  }

  /** What is declared: of broken files the last good version, and never what the fleet guard holds. */
  get declared(): DeclaredZones {
    return this.#declared;
  }

  /** Whether that is what the files declared at first. */
  get areAsFirst(): boolean {
    return this.#declaredVersion === "first";
  }

  /** Whether the files are the mistake that the fleet guard holds. */
  get areMistaken(): boolean {
    return this.#version === "mass";
  }

  /** Whether the files, or some of them, cannot be read now. */
  get areSpoilt(): boolean {
    return this.#version === "spoilt";
  }

  /**
   * Changes the files; gives whether they changed. From any version but the first they only go back: each change is
   * then one of one zone, as a commit is. Nobody reads the first of two changes in one instant: the second is left out.
   */
  change(event: FileEvent, now: number): boolean {
    if (event === "files_broken" || event === "files_empty") return this.#spoil(event, now);
    const isAsFirst = this.#version === "first" && this.#changedAt !== now;
    if (event !== "files_first" && !isAsFirst) return false;
    this.#put(event === "files_first" ? "first" : versionOf[event]);
    this.#changedAt = now;
    return true;
  }

  /** Whether the files changed so short a time ago that a process may not have stored what they declare. */
  isNew(now: number): boolean {
    return now - this.#changedAt <= storeMs;
  }

  /** What is spoilt in the instant in which it changed, nobody has read. */
  #spoil(event: "files_broken" | "files_empty", now: number): boolean {
    if (this.areMistaken || this.#changedAt === now) return false;
    this.#version = "spoilt";
    if (event === "files_broken") this.disk.write("/zones/shop.example.com.yaml", "zones: [{");
    else {
      this.disk.delete("/zones");
      this.disk.make("/zones", "directory");
    }
    return true;
  }

  #put(version: VersionName): void {
    this.#version = version;
    const zones = zonesOf(version, this.#story);
    this.disk.delete("/zones");
    for (const [name, content] of Object.entries(zones)) {
      this.disk.write(`/zones/${name}.yaml`, zoneFile(name, content));
    }
    if (version === "mass") return;
    this.#declaredVersion = version;
    this.#declared = zones;
  }
}
