import { type FieldValue, selects } from "../evaluate-expression.ts";
import { aliasOf, expressionFields } from "../expression-fields.ts";
import { fieldsIn } from "../expression-tree.ts";
import { validTree } from "../expression.ts";
import { isIndependent, type RequestFacts, valueOfField } from "../request-facts.ts";
import { CertaintyJudge, type Known } from "./certainty-judge.ts";

/** Ways in which both expressions can hold that are tried before giving up. */
const maxWays = 100;

/**
 * A request that both expressions select. `undefined` if there is none, or if none was found:
 * conditions on lists and headers are not decided.
 */
export function commonRequest(a: string, b: string): SampleRequest | undefined {
  const [one, other] = [validTree(a), validTree(b)];
  if (one === undefined || other === undefined) return undefined;
  const both = [one, other];
  const fields = new Set(both.flatMap(fieldsIn));
  for (const known of new CertaintyJudge().waysToSelect(both).take(maxWays)) {
    const found = samplesFor(known, fields).find((request) =>
      both.every((each) => selects(each, (field) => valueOfField(field, request)) === true),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A request of which everything is known that conditions can be about. */
export interface SampleRequest extends RequestFacts {
  readonly path: string;
  readonly method: string;
  readonly ssl: boolean;
}

/** Requests that fit what is known, as far as each of its parts alone shows. */
function* samplesFor(known: Known, fields: ReadonlySet<string>): Generator<SampleRequest> {
  const textsOf = (name: string, pattern: string, usual?: string): readonly string[] =>
    [name, `raw.${name}`]
      .filter((each) => fields.has(each) || (each === name && usual !== undefined))
      .flatMap((each) => known.values.textOf(each, pattern, usual ?? "") ?? []);
  const urls = ["http.request.full_uri", "http.request.uri"]
    .flatMap((name) => textsOf(name, ""))
    .map((text) => urlPattern.exec(text)?.groups ?? {});
  const ends = textsOf("http.request.uri.path.extension", "^[!-~]+$");
  const paths = [
    ...urls.flatMap(({ path }) => path ?? []),
    ...textsOf("http.request.uri.path", '^/[!-"$->@-~]*$', "/"),
  ];
  const hosts = textsOf("http.host", hostPattern, "www.example.com");
  const queries = textsOf("http.request.uri.query", '^[!-"$-~]*$', "");
  const methods = textsOf("http.request.method", "^[A-Z]+$", "GET");
  const isSsl = known.outcomes.get("ssl");
  const others = otherFields(known, fields);
  for (const host of [...urls.flatMap((url) => url["host"] ?? []), ...hosts]) {
    for (const path of [
      ...paths,
      ...paths.flatMap((start) => ends.map((end) => `${start.replace(/\/$/, "/a")}.${end}`)),
    ]) {
      for (const query of [...urls.flatMap((url) => url["query"] ?? []), ...queries]) {
        for (const method of methods) {
          for (const ssl of isSsl === undefined ? [true, false] : [isSsl]) {
            yield { host, path, query, method, ssl, fields: others };
          }
        }
      }
    }
  }
}

const hostPattern = "^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$";

/** Host, path and query, as far as the text of a URL has them. */
const urlPattern = /^(?:https?:\/\/(?<host>[^/?]*))?(?<path>\/[^?]*)?(?:\?(?<query>.*))?$/;

/** A value for each field that is independent of all others. */
function otherFields(known: Known, fields: ReadonlySet<string>): ReadonlyMap<string, FieldValue> {
  return new Map(
    [...fields].filter(isIndependent).flatMap((field) => {
      const value = valueOf(field, known);
      return value === undefined ? [] : [[aliasOf(field), value] as const];
    }),
  );
}

function valueOf(field: string, { outcomes, values }: Known): FieldValue | undefined {
  const type = expressionFields.get(field);
  if (type === "Boolean") return outcomes.get(field) ?? true;
  if (type === "String") return values.textOf(field, "", "");
  return type === "Integer" || type === "IP" ? values.numberOf(field) : undefined;
}
