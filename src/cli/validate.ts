import path from "node:path";

import { DesiredFiles } from "../desired/desired-files.ts";
import { type ShownValue, showZone } from "../desired/show.ts";
import { valueText } from "../report/value.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { configOrProblems, hasErrors, printProblems } from "./load.ts";
import type { Machine } from "./machine.ts";

/** What `validate` is told. */
export interface ValidateFlags {
  readonly config: string;
  readonly path: string | undefined;
  readonly format: "text" | "json" | "sarif" | "annotations";
  readonly show: string | undefined;
}

/** Where the zone documents are, and whose marks they must not bear. */
interface Where {
  readonly path: string;
  readonly owner: string;
}
