/** `text` with A to Z folded to small letters; hosts, schemes and keywords know no other case. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
