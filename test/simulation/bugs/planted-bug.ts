import type { Schedule, Step } from "../schedule.ts";
import type { StoryName } from "../stories.ts";

/** A bug of the program, the schedule in which it shows, and the invariant that then does not hold. */
export interface PlantedBug {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** The text of the file that is replaced. */
  readonly from: string;
  readonly to: string;
  readonly story: StoryName;
  /** Omitted: a directory. */
  readonly store?: Schedule["store"];
  readonly steps: readonly Step[];
  readonly versions?: Schedule["versions"];
  readonly invariant: string;
}
