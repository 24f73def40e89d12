import { hash } from "node:crypto";

/** Digests beyond this number are forgotten, all at once: ten thousand zones have thirty thousand. */
const mostKnown = 200_000;

/** Bodies that were taken for a success before: the same again need not be taken apart to know that it is one. */
export class KnownBodies {
  readonly #digests = new Set<string>();

  has(digest: string): boolean {
    return this.#digests.has(digest);
  }

  add(digest: string): void {
    if (this.#digests.size >= mostKnown) this.#digests.clear();
    this.#digests.add(digest);
  }
}

/** One name for one body: equal bytes, equal digest. */
export function digestOf(body: Uint8Array): string {
  return hash("sha256", body, "base64");
}
