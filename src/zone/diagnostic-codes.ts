import { syntaxDiagnosticCodes } from "../syntax/syntax-diagnostic.ts";
import type { Severity } from "./diagnostic.ts";

/** What a code stands for. */
export interface DiagnosticFacts {
  readonly severity: Severity;
  /** One line. */
  readonly meaning: string;
}

/** A code of the table of problems. */
export type DiagnosticCode = keyof typeof diagnosticCodes;

/** Every code that a file can get; codes are stable, their words may change. */
export const diagnosticCodes = {
  DIRECTORY_UNREADABLE: error("the directory with the zone files cannot be read"),
  DIRECTORY_EMPTY: error("the directory holds no zone file"),
  DIRECTORY_UNSETTLED: error("the files changed each time that they were read"),
  FILE_UNREADABLE: error("a file cannot be read"),
  FILE_TOO_LARGE: error("a file is larger than 8 MB"),
  FILE_TOO_SLOW: error("a file takes minutes to be read"),
  FILE_TOO_COSTLY: error("a file takes more memory to be read than there is"),
  FILE_NOT_UTF8: error("a file is not UTF-8 text"),
  FILE_EMPTY: error("a file says nothing; an empty file is no empty state"),
  FILE_FOREIGN: error("a file of another kind: it has none of the keys that it should have"),
  FILE_OUTSIDE: error("a link leads out of the directory"),
  FILE_NOT_REGULAR: error("something named .yaml is neither a file nor a directory"),
  YAML_SYNTAX: error("the text is not YAML"),
  YAML_TAG: error("a tag that plain data does not have"),
  YAML_DIRECTIVE: error("a % directive, which would change how the text is read"),
  YAML_ALIAS: error("aliases that go round in a circle, or blow the document up"),
  YAML_TOO_DEEP: error("the nesting is deeper than any configuration"),
  DUPLICATE_KEY: error("a key stands twice in one map"),
  UNKNOWN_KEY: error("a key that does not exist here"),
  MISSING_KEY: error("a key that must be there is not"),
  WRONG_TYPE: error("a value of the wrong type"),
  WRONG_VALUE: error("a value that is not allowed here"),
  CONTRADICTION: error("two things that exclude each other"),
  TOO_MANY_PROBLEMS: error("a file has more problems than are shown"),
  UNKNOWN_PROFILE: error("a profile that no file defines"),
  PROFILE_CYCLE: error("a profile extends itself, directly or through others"),
  PROFILE_TWICE: error("two profiles have the same name"),
  ZONE_TWICE: error("a zone is declared twice"),
  KEY_TWICE: error("two things of one list have the same key"),
  RULESET_TWICE: error("a zone deploys the same managed ruleset twice"),
  NOT_OWASP: error("OWASP tuning on a ruleset that is not OWASP"),
  DESCRIPTION_MARKED: error("a description ends in something that looks like our mark"),
  UNKNOWN_ORDER: error("`before` or `after` names a rule that is not there"),
  SKIP_WITHOUT_EFFECT: warning("an exception stands after everything that it could skip"),
  ALLOW_OVERLAP: warning("two enabled allow policies can meet on one page"),
  SELECTOR_CONFLICT: error("two selectors want different things of one zone"),
  SELECTOR_UNUSED: warning("a selector fits no zone"),
  ZONE_AMBIGUOUS: error("several zones have the name of a declared one"),
  ZONE_NAMESAKE: warning("several zones have the name of a declared one; the active one is taken"),
  ZONE_UNCERTAIN: warning("a zone that is not active, while its active namesake may not be listed"),
  ZONE_NOT_LISTED: error("the token does not see a declared zone"),
  NO_ZONE_DECLARED: error("the files declare no zone, while zones are active"),
  UNUSED_PROFILE: warning("no zone uses a profile"),
  BAD_SILENCE: warning("a comment that silences nothing, or does not say why"),
  BOTH_DAY_FIELDS: error("a schedule that restricts both day fields"),
  ...syntaxDiagnosticCodes,
} satisfies Readonly<Record<string, DiagnosticFacts>>;

function error(meaning: string): DiagnosticFacts {
  return { severity: "error", meaning };
}

function warning(meaning: string): DiagnosticFacts {
  return { severity: "warning", meaning };
}
