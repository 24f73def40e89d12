/** Why a saved plan cannot be carried out. Stable: tests and people hold on to these. */
type PlanMistakeCode =
  | "PLAN_NOT_JSON"
  | "PLAN_FORMAT"
  | "PLAN_TAMPERED"
  | "PLAN_MALFORMED"
  | "PLAN_EXPIRED"
  | "PLAN_OTHER_OWNER"
  | "PLAN_OTHER_SERVICE";

/** What is wrong with a saved plan, and what to do. */
export interface PlanFileError {
  readonly code: PlanMistakeCode;
  readonly message: string;
}

/** A mistake in words that begin with their place. */
export function planFileError(code: PlanFileError["code"], message: string): PlanFileError {
  return { code, message: `plan file: ${message}: make a new plan` };
}
