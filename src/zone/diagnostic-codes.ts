import { syntaxDiagnosticCodes } from "../syntax/syntax-diagnostic.ts";
import type { Severity } from "./diagnostic.ts";

export interface DiagnosticFacts {
  readonly severity: Severity;
  /** One line. */
  readonly meaning: string;
}

export type DiagnosticCode = keyof typeof diagnosticCodes;

/** All codes. Codes are stable; messages may change. */
export const diagnosticCodes = {
  DIRECTORY_UNREADABLE: error("the directory with the zone files cannot be read"),
  DIRECTORY_EMPTY: error("the directory has no zone files"),
  DIRECTORY_UNSETTLED: error("the files changed during each attempt to read them"),
  FILE_UNREADABLE: error("a file cannot be read"),
  FILE_TOO_LARGE: error("a file is larger than 8 MB"),
  FILE_TOO_SLOW: error("reading a file takes minutes"),
  FILE_TOO_COSTLY: error("reading a file takes more memory than there is"),
  FILE_NOT_UTF8: error("a file is not UTF-8 text"),
  FILE_EMPTY: error("a file is empty; write `zones: []` to declare no zones"),
  FILE_FOREIGN: error("a file of another kind: it has none of the expected keys"),
  FILE_NEWER: error("a file of a form that only a newer zonewarden knows"),
  FILE_NOT_FORMATTED: error("`zonewarden fmt` cannot write a file in its one form"),
  FILE_OUTSIDE: error("a link leads out of the directory"),
  FILE_NOT_REGULAR: error("something named .yaml is neither a file nor a directory"),
  YAML_SYNTAX: error("the text is not YAML"),
  YAML_TAG: error("a tag, which plain data does not have"),
  YAML_DIRECTIVE: error("a % directive, which would change how the text is parsed"),
  YAML_ALIAS: error("aliases that form a cycle, or expand the document too much"),
  YAML_TOO_DEEP: error("the nesting is too deep"),
  YAML_TOO_LARGE: error(
    "a file has more than 3,000,000 YAML tokens, or a map or list in it more than 20,000 entries",
  ),
  DUPLICATE_KEY: error("a key is repeated in a map"),
  UNKNOWN_KEY: error("a key that does not exist here"),
  EMPTY_VALUE: error("a key without a value, which could mean empty or not declared"),
  MISSING_KEY: error("a required key is missing"),
  WRONG_TYPE: error("a value of the wrong type"),
  WRONG_VALUE: error("a value that is not allowed here"),
  CONTRADICTION: error("two values exclude each other"),
  TOO_MANY_PROBLEMS: error("a file has more errors than are reported"),
  TOO_MANY_WARNINGS: warning("a file has more warnings than are reported"),
  INTERNAL_ERROR: error("zonewarden failed unexpectedly; what it failed on is not used"),
  UNKNOWN_PROFILE: error("a profile that no file defines"),
  PROFILE_CYCLE: error("a profile extends itself, directly or through others"),
  TOO_MANY_PROFILES: error(
    "a zone or profile uses more than 100 profiles, directly or through others",
  ),
  PROFILE_TWICE: error("two profiles have the same name"),
  BAD_PLACEHOLDER: error("a placeholder that does not exist, or whose value cannot stand there"),
  UNSET_VARIABLE: error("a variable that is needed has no value"),
  UNFILLED_TEXT: warning("a text that looks like a placeholder without its dollar or braces"),
  UNUSED_VARIABLE: warning("a variable that no text uses"),
  UNDECLARED_VARIABLE: warning("a zone sets a variable that its profiles use and do not declare"),
  ZONE_TWICE: error("a zone is declared twice"),
  KEY_TWICE: error("two items of a list have the same key"),
  RULESET_TWICE: error("a zone deploys the same managed ruleset twice"),
  NOT_OWASP: error("OWASP keys for a ruleset that is not OWASP"),
  PROMOTION_STEPS: error("the steps of a promotion do not lead to what is declared"),
  PROMOTION_NOT_KEPT: warning("a promotion, and the configuration has no `store`"),
  PROMOTION_UNMEASURED: warning("a promotion needs counts, and nothing is measured"),
  DESCRIPTION_MARKED: error("a description ends with text that looks like a mark of zonewarden"),
  UNKNOWN_ORDER: error("`before` or `after` names a rule that does not exist"),
  ORDER_CYCLE: error("rules whose places contradict each other"),
  POSITION_RESEMBLES_KEY: warning(
    "a position beside a live rule, whose ref resembles a key of the list",
  ),
  SKIP_WITHOUT_EFFECT: warning("an exception comes after all rules that it could skip"),
  SKIP_EVERY_REQUEST: error("an exception spares every request and does not acknowledge it"),
  SKIP_WHOLE_ZONE: warning("an exception spares every usual request of its zone"),
  SHADOWED_EXCEPTION: warning("an exception after one that skips as much for all of its requests"),
  SHADOWED_RULE: warning("a rule that no request reaches, because of one before it"),
  PROTECTS_NOTHING: error("a policy or a rule applies to no request and does not acknowledge it"),
  CHARACTERISTIC_MISSING: error("a rate limit without the characteristic cf.colo.id"),
  HOST_OUTSIDE_ZONE: warning("a policy or rule applies to hosts of other zones only"),
  REPEATED_POLICY: warning("a policy after one that does the same for all of its requests"),
  REPEATED_DESCRIPTION: warning("two policies or rules of a zone have the same description"),
  MATCH_NOTHING: warning("a pattern that matches no status, plan or labels of a zone"),
  ALLOW_OVERLAP: warning("two enabled allow policies can apply to one page"),
  SCRIPT_COVERS_ALL: error("an authorised script matches hosts that anybody can have"),
  SCRIPT_INCOMPLETE: warning(
    "an authorised script lacks an owner, a justification, an approval or a date of review",
  ),
  SCRIPT_REPEATED: warning("an authorised script that another entry covers"),
  SCRIPTS_UNMONITORED: warning("scripts are declared, and nothing keeps their monitoring on"),
  BEYOND_PLAN: warning("a rule has what the plan of a zone is documented not to include"),
  SELECTOR_CONFLICT: error("two selectors of one priority declare different values for a zone"),
  SELECTOR_UNUSED: warning("a selector matches no zone"),
  ZONE_AMBIGUOUS: error("several zones have the name of a declared one"),
  ZONE_NAMESAKE: warning(
    "several zones have the name of a declared one; the active one is managed",
  ),
  ZONE_UNCERTAIN: warning(
    "a zone is not active, and an active zone of its name may not be listed yet",
  ),
  ZONE_NOT_LISTED: error("no token can read a declared zone"),
  WAVE_ZONE_UNDECLARED: warning("a wave names a zone that no file declares"),
  NO_ZONE_DECLARED: error("the files declare no zone, but zones are active"),
  UNUSED_PROFILE: warning("no zone uses a profile"),
  BAD_SUPPRESSION: warning("a suppression without effect or reason"),
  BOTH_DAY_FIELDS: error("a schedule restricts both day fields"),
  ...syntaxDiagnosticCodes,
} satisfies Readonly<Record<string, DiagnosticFacts>>;

/** What is known of a code; `undefined` if there is no such code. */
export function factsOfCode(code: string): DiagnosticFacts | undefined {
  return Object.entries(diagnosticCodes).find(([each]) => each === code)?.[1];
}

function error(meaning: string): DiagnosticFacts {
  return { severity: "error", meaning };
}

function warning(meaning: string): DiagnosticFacts {
  return { severity: "warning", meaning };
}
