import { GraphQLError } from "graphql";

/** An error of the analytics with its documented status; `code` becomes `extensions.code`. */
export function analyticsError(status: number, message: string, code?: string): GraphQLError {
  return new GraphQLError(message, { extensions: { status, code } });
}

/** The error of an argument that cannot be read. */
export function badArguments(field: string, detail: string): GraphQLError {
  return analyticsError(400, `error parsing args for "${field}": ${detail}`);
}
