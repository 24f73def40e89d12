/**
 * Whether an argument must be a constant (`literal`), must not be one (`field`), or may be both
 * (`any`).
 */
type ArgumentKind = "field" | "literal" | "any";

/** What a function expects as one of its arguments. */
export interface Parameter {
  readonly kind: ArgumentKind;
  /** Types that fit; `Array` and `Map` stand for those of any elements. */
  readonly types: readonly string[];
  readonly isOptional: boolean;
}

/** The arguments and the result of a function. */
export interface Signature {
  readonly parameters: readonly Parameter[];
  /** Whether the last parameter can be repeated. */
  readonly isVariadic: boolean;
  readonly result: string;
}

export interface FunctionFacts {
  /** What the public engine accepts. */
  readonly signature: Signature;
  /** What the documentation allows besides; the public engine refuses it. */
  readonly documented: readonly Signature[];
}

/**
 * The functions of the language with the arguments that the public engine accepts (SERVICE.md D).
 * `?` marks an argument that can be left out, `*` one that can be repeated. The result `same` is
 * the type of the first argument. The argument of `any` and `all` is a condition.
 */
const accepted = `
  any field:Array<Boolean> -> Boolean
  all field:Array<Boolean> -> Boolean
  bit_slice field:String literal:Integer literal:Integer -> Integer
  cidr field:IP literal:Integer literal:Integer -> IP
  cidr6 field:IP literal:Integer -> IP
  coalesce any:String|Integer|IP|Boolean any:same any:same* -> same
  concat any:String|Array any:same any:same* -> same
  contains field:String any:String -> Boolean
  decode_base64 field:String -> String
  encode_base64 field:String literal:String? -> String
  ends_with field:String any:String -> Boolean
  has_key field:Map<Array<String>> literal:String -> Boolean
  has_value field:Array<String> literal:String -> Boolean
  hash_in_range literal:Integer literal:Integer field:String -> Integer
  hmac field:String literal:String literal:String -> String
  ip_in_range field:IP literal:String -> Boolean
  is_jwt_present literal:String -> Boolean
  is_jwt_valid literal:String -> Boolean
  is_timed_hmac_valid_v0 field:String literal:String literal:Integer literal:String? literal:Integer? -> Boolean
  join field:Array<String> literal:String -> String
  len field:String -> Integer
  lookup_json_integer field:String literal:String -> Integer
  lookup_json_string field:String literal:String -> String
  lower field:String -> String
  regex_replace field:String literal:String literal:String -> String
  remove_bytes field:String literal:String -> String
  remove_query_args field:String literal:String literal:String? literal:String? literal:String? literal:String? literal:String? literal:String? literal:String? -> String
  sha256 field:String -> String
  sha512 field:String -> String
  split field:String literal:String literal:Integer -> Array<String>
  starts_with field:String any:String -> Boolean
  substring field:String literal:Integer literal:Integer -> String
  to_string field:Integer -> String
  trim field:String literal:String? -> String
  trim_end field:String literal:String? -> String
  trim_start field:String literal:String? -> String
  upper field:String -> String
  url_decode field:String -> String
  uuidv4 field:String -> String
  wildcard field:String literal:String -> Boolean
  wildcard_replace field:String literal:String literal:String literal:String? -> String
`;

/** What the documentation allows though the public engine does not, in the same form. */
const documentedOnly = `
  concat any:String|Integer|IP|Array any:String|Integer|IP|Array any:String|Integer|IP|Array* -> String
  has_key field:Map literal:String -> Boolean
  has_value field:Map|Array literal:String|Integer -> Boolean
  is_timed_hmac_valid_v0 literal:String field:String literal:Integer any:Integer literal:Integer? literal:String? -> Boolean
  len field:Array|Map -> Integer
  lookup_json_integer field:String literal:String|Integer literal:String|Integer* -> Integer
  lookup_json_integer field:String literal:Integer -> Integer
  lookup_json_string field:String literal:String|Integer literal:String|Integer* -> String
  lookup_json_string field:String literal:Integer -> String
  regex_replace any:String literal:String literal:String -> String
  remove_query_args field:String literal:String* -> String
  sha256 any:String -> String
  substring field:String literal:Integer -> String
  to_string field:Integer|Boolean|IP -> String
  url_decode any:String literal:String? -> String
`;

/** Public functions of the rules language; the service may know more. */
export const expressionFunctions: ReadonlyMap<string, FunctionFacts> = functionTable();

function functionTable(): ReadonlyMap<string, FunctionFacts> {
  const documented = Map.groupBy(signaturesIn(documentedOnly), ({ name }) => name);
  return new Map(
    signaturesIn(accepted).map(({ name, signature }) => [
      name,
      { signature, documented: (documented.get(name) ?? []).map((each) => each.signature) },
    ]),
  );
}

function signaturesIn(text: string): { readonly name: string; readonly signature: Signature }[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [call = "", result = ""] = line.trim().split(" -> ");
      const [name = "", ...parts] = call.split(" ");
      const parameters = parts.map(parameterOf);
      return { name, signature: { parameters, isVariadic: call.endsWith("*"), result } };
    });
}

function parameterOf(text: string): Parameter {
  const [, kind = "", types = "", mark = ""] = /^(\w+):(.*?)([?*]?)$/.exec(text) ?? [];
  return {
    kind: kind === "field" || kind === "literal" ? kind : "any",
    types: types.split("|"),
    isOptional: mark !== "",
  };
}
