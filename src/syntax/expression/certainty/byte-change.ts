import { capitals, smallLetters } from "./languages.ts";

/** The bytes for which a function gives one of some bytes. */
export type Preimage = (bytes: bigint) => bigint;

/** What a function makes of each byte of a text by itself. */
export interface ByteChange {
  readonly preimage: Preimage;
  /** Of a text with one character for each byte. */
  readonly apply: (text: string) => string;
}

/** What is compared as it is. */
export const asItIs: ByteChange = { preimage: (bytes) => bytes, apply: (text) => text };

/** What `lower` does: it changes ASCII only. */
export const lowerChange: ByteChange = {
  preimage: (bytes) => (bytes & ~capitals) | ((bytes & smallLetters) >> 32n),
  apply: (text) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()),
};

export const upperChange: ByteChange = {
  preimage: (bytes) => (bytes & ~smallLetters) | ((bytes & capitals) << 32n),
  apply: (text) => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()),
};

/** One change, and then another. */
export function inTurn(first: ByteChange, second: ByteChange): ByteChange {
  if (first === asItIs) return second;
  return {
    preimage: (bytes) => first.preimage(second.preimage(bytes)),
    apply: (text) => second.apply(first.apply(text)),
  };
}
