import { executeSync, GraphQLError, parse, type ExecutionResult, validate } from "graphql";

import { coerceObject, type JsonObject } from "../../syntax/json.ts";
import { type EndpointAnswer, type EndpointCall, endpoint } from "../http/api-endpoint.ts";
import { AnalyticsError } from "./analytics-error.ts";
import { analyticsRoot } from "./analytics-query.ts";
import { analyticsSchema } from "./graphql-schema.ts";

/** The analytics, which GraphQL asks for. */
export const graphqlEndpoints = [endpoint("POST", "/graphql", "Query the analytics", [], answerOf)];

/** Tokens of a document that are read. */
const maxTokens = 10_000;

function answerOf(call: EndpointCall): EndpointAnswer {
  const result = resultOf(call);
  const { errors = [] } = result;
  if (errors.length === 0) return withoutEnvelope(200, result.data, null);
  const timestamp = call.now.toISOString();
  const shown = errors.map((error) => {
    const { message, code } = analyticsErrorOf(error);
    const extensions = { timestamp, ...(code === undefined ? {} : { code }) };
    return { message, path: error.path?.map(String) ?? null, extensions };
  });
  return withoutEnvelope(200, null, shown);
}

function withoutEnvelope(status: number, data: unknown, errors: unknown): EndpointAnswer {
  return { document: { status, body: { data, errors } } };
}

function resultOf(call: EndpointCall): ExecutionResult {
  try {
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

/** What the service says instead of a message of the library. */
function analyticsErrorOf({ originalError, message }: GraphQLError): AnalyticsError {
  if (originalError instanceof AnalyticsError) return originalError;
  if (originalError !== undefined && !(originalError instanceof GraphQLError)) throw originalError;
  return new AnalyticsError(400, wordsFor(message));
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
