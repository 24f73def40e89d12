import { InvalidArgumentError } from "commander";

import { isHash } from "../../plan/guard/release.ts";

/** Reads `--accept`, once for each hash: an argument after the hash is a zone. */
export function acceptedHashes(
  hash: string,
  before: readonly string[] | undefined,
): readonly string[] {
  if (isHash(hash)) return [...(before ?? []), hash];
  throw new InvalidArgumentError(
    "Copy the full hash of 64 hexadecimal digits that plan prints; name zones before --accept or after its hash.",
  );
}
