import type { WireMessage } from "../../api/wire.ts";
import type { Answer } from "./endpoint.ts";
import type { ServiceError } from "./service-error.ts";

/** An answer ready to be sent. */
export interface Reply {
  readonly status: number;
  /** `undefined`: no body, and no envelope (SERVICE.md C.1). */
  readonly text: string | undefined;
  readonly contentType: string;
}

const json = "application/json";

/** What an endpoint answered, in the service's envelope; a dry run shows no result (SERVICE.md B.2). */
export function replyTo(answer: Answer, isDryRun: boolean): Reply {
  switch (answer.form) {
    case "empty":
      return { status: 204, text: undefined, contentType: json };
    case "csv":
      return { status: 200, text: answer.text, contentType: "text/csv; charset=utf-8" };
    case "json":
      return {
        status: 200,
        text: envelope(isDryRun ? null : answer.result, answer.messages, answer.info),
        contentType: json,
      };
  }
}

/** A refusal in the service's envelope. */
export function refusalReply({ status, errors }: ServiceError): Reply {
  const text = JSON.stringify({ result: null, success: false, errors, messages: [] });
  return { status, text, contentType: json };
}

function envelope(result: unknown, messages: readonly WireMessage[], info: unknown): string {
  return JSON.stringify({
    result,
    success: true,
    errors: [],
    messages,
    ...(info === undefined ? {} : { result_info: info }),
  });
}
