/** One step of a delta: bytes of the base to copy, or the number of new bytes that follow. */
type DeltaStep = { readonly offset: number; readonly length: number } | { readonly insert: number };

/** Reads the numbers of a pack, one after the other. Throws where the bytes end too early. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes were read. */
  get at(): number {
    return this.#at;
  }

  take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError("the bytes end too early");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** The head of a packed object: three bits of type, and the size in groups of four and seven bits. */
  typeAndSize(): { readonly type: number; readonly size: number } {
    const first = this.#byte();
    const rest = first < 0x80 ? 0 : this.size();
    return { type: (first >> 4) & 7, size: rest * 16 + (first & 15) };
  }

  /** A size in groups of seven bits, the lowest first. */
  size(): number {
    let size = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#byte();
      size += (byte & 0x7f) * factor;
      if (byte < 0x80) return size;
    }
  }

  /** How far the base of a delta lies before it: groups of seven bits, the highest first, each but the last plus one. */
  distance(): number {
    let distance = 0;
    for (;;) {
      const byte = this.#byte();
      distance = distance * 0x80 + (byte & 0x7f);
      if (byte < 0x80) return distance;
      distance += 1;
    }
  }

  deltaStep(): DeltaStep {
    const code = this.#byte();
    if (code === 0) throw new RangeError("an unknown step of a delta");
    if (code < 0x80) return { insert: code };
    const offset = this.#sparse(code, 4);
    const length = this.#sparse(code >> 4, 3);
    return { offset, length: length === 0 ? 0x1_0000 : length };
  }

  /** A number of which only the bytes are there that `present` has a bit for, the lowest first. */
  #sparse(present: number, bytes: number): number {
    let value = 0;
    for (let nth = 0; nth < bytes; nth += 1) {
      if ((present & (1 << nth)) !== 0) value += this.#byte() * 0x100 ** nth;
    }
    return value;
  }

  #byte(): number {
    return this.take(1).readUInt8(0);
  }
}
