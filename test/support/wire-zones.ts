/** A zone as the service lists it, as far as it tells zones apart. */
export interface WireZone {
  readonly id: string;
  readonly name: string;
}

/** So many zones, by name. */
export function wireZones(count: number): readonly WireZone[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index.toString(16).padStart(32, "0"),
    name: `zone-${String(index).padStart(5, "0")}.example`,
  }));
}
