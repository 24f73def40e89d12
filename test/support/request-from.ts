import { request, type RequestOptions } from "node:http";
import { text } from "node:stream/consumers";

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends what `fetch` cannot: another `Host` header, or a request from another local address. */
export async function requestFrom(url: string, options: RequestOptions): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  request(url, { ...options, agent: false }, (response) => {
    text(response).then(
      (body) => resolve({ status: response.statusCode ?? 0, text: body }),
      reject,
    );
  })
    .on("error", reject)
    .end();
  return promise;
}
