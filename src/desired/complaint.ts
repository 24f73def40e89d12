import type { DiagnosticCode } from "../zone/diagnostic-codes.ts";
import type { MergedPath } from "./zones/layer.ts";

/** What is wrong and what would be right, wherever that stands. */
export interface Words {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
}

/** Something wrong with a value; on which line of which file it stands is found out when it is told. */
export interface DeclarationDiagnostic extends Words {
  readonly path: MergedPath;
}

/** A value, and what is wrong with it; no value where something is missing. */
export interface Converted<T> {
  readonly value: T | undefined;
  readonly complaints: readonly DeclarationDiagnostic[];
}

/** A key that must be there once everything is merged. */
export function missing(path: MergedPath, what: string, remedy: string): DeclarationDiagnostic {
  return { code: "MISSING_KEY", path, message: `${what} is missing`, remedy };
}

/** Things that cannot stand beside each other. */
export function contradiction(
  path: MergedPath,
  message: string,
  remedy: string,
): DeclarationDiagnostic {
  return { code: "CONTRADICTION", path, message, remedy };
}

/** Keys under which things were declared before, and that another thing has or had too. */
export function isDiagnosticList(
  items: readonly { readonly key: string; readonly was: string | undefined }[],
  list: MergedPath,
): readonly DeclarationDiagnostic[] {
  const taken = new Set(items.map(({ key }) => key));
  return items.flatMap(({ key, was }) => {
    if (was === undefined) return [];
    const isTaken = taken.has(was);
    taken.add(was);
    if (!isTaken) return [];
    const message = `"${was}" cannot be what "${key}" was: something else has that key, or had it`;
    return [contradiction([...list, key, "was"], message, "delete one of the two")];
  });
}
