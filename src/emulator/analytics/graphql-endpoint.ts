import { executeSync, GraphQLError, parse, type ExecutionResult, validate } from "graphql";

import { coerceObject, type JsonObject } from "../../syntax/json.ts";
import { type EndpointAnswer, type EndpointCall, endpoint } from "../http/api-endpoint.ts";
import { analyticsError } from "./analytics-error.ts";
import { analyticsRoot } from "./analytics-query.ts";
import { analyticsSchema } from "./graphql-schema.ts";

/** The analytics, which GraphQL asks for. */
export const graphqlEndpoints = [endpoint("POST", "/graphql", "Query the analytics", [], answerOf)];

/** Tokens of a document that are read. */
const maxTokens = 10_000;

function answerOf(call: EndpointCall): EndpointAnswer {
  const { data, errors = [] } = resultOf(call);
  if (errors.length === 0) return withoutEnvelope(200, data, null);
  const timestamp = call.now.toISOString();
  const found = errors.map((error) => ({ path: error.path, ...shownOf(error) }));
  const shown = found.map(({ path, message, code }) => ({
    message,
    path: path?.map(String) ?? null,
    extensions: { timestamp, code },
  }));
  const isPartial = call.analyticsFaults.failedZone !== undefined;
  const hasStatus = call.store.undocumented.analytics_errors === "status" && !isPartial;
  const status = hasStatus ? (found[0]?.status ?? 500) : 200;
  // What is refused voids the whole document (SERVICE.md C.8).
  return withoutEnvelope(status, isPartial ? data : null, shown);
}

function withoutEnvelope(status: number, data: unknown, errors: unknown): EndpointAnswer {
  return { document: { status, body: { data: data ?? null, errors } } };
}

function resultOf(call: EndpointCall): ExecutionResult {
  try {
    if (!call.takeQuery()) {
      const message = "rate limiter budget depleted, try again after 5 minutes";
      throw analyticsError(429, message, "budget");
    }
    const { error } = call.analyticsFaults;
    if (error !== undefined) throw error;
    return executed(call, call.body());
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

function executed(
  call: EndpointCall,
  { query, variables, operationName }: JsonObject,
): ExecutionResult {
  const document = parse(typeof query === "string" ? query : "", { maxTokens });
  const schema = analyticsSchema();
  const errors = validate(schema, document);
  if (errors.length > 0) return { errors };
  return executeSync({
    schema,
    document,
    rootValue: analyticsRoot(call),
    variableValues: coerceObject(variables),
    ...(typeof operationName === "string" ? { operationName } : {}),
  });
}

/** What is shown of an error: the service has other words than the library. */
function shownOf({ originalError, message, extensions }: GraphQLError) {
  const { status, code } = extensions;
  if (typeof status === "number") return { message, status, code };
  if (originalError !== undefined && !(originalError instanceof GraphQLError)) throw originalError;
  return { message: wordsFor(message), status: 400, code: undefined };
}

function wordsFor(message: string): string {
  const field = /^Cannot query field "(\w+)"/.exec(message)?.[1];
  if (field !== undefined) return `unknown field "${field}"`;
  if (message.includes("must not have a selection")) return "scalar fields must have no selections";
  if (message.includes("must have a selection")) return "object field must have selections";
  if (/argument|Variable|Expected value|Value /i.test(message)) {
    return `error parsing args: ${message}`;
  }
  return `query contains error, please review it and retry: ${message}`;
}
