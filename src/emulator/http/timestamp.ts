/** A moment as the service writes it, with microseconds (SERVICE.md B.3). */
export function timestamp(moment: Date): string {
  return moment.toISOString().replace("Z", "000Z");
}
