import path from "node:path";

/** The project's directory. */
export const root = path.resolve(import.meta.dirname, "../..");

/** The directory of everything that installs and watches the program. */
export const deploy = path.join(root, "deploy");
