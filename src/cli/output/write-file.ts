import path from "node:path";

import type { Host } from "../../host/host.ts";
import { errorCode } from "../../syntax/error-code.ts";

/** Writes a file that a command line names; prints the reason and returns `false` if it cannot be written. */
export async function isWritten(
  name: string,
  host: Host,
  write: (file: string) => Promise<void>,
): Promise<boolean> {
  try {
    await write(path.resolve(host.directory, name));
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "") throw error;
    host.stderr.write(`${name}: cannot be written (${code}); name another file\n`);
    return false;
  }
}
