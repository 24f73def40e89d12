import path from "node:path";

import type { Host } from "../../host/host.ts";

/** A path as the operator knows it: relative to the working directory where it is below it. */
export function shownPath(place: string, { directory }: Pick<Host, "directory">): string {
  const relative = path.relative(directory, place);
  return relative === "" || relative.startsWith("..") ? place : relative;
}
