/** Why parts of a file are lost, where several forms of files have the same reason. */

export const UNKNOWN_PART = 'Lintel does not know it, so nothing was done about it';

/** For settings of who may call; what to write follows. */
export const CALLERS = 'the new gateway lets in every caller who reaches its port: write';

/** @param reasons of known parts; a file may name a part `constructor`, which every object inherits */
export function reasonFor(part: string, reasons: Readonly<Record<string, string>>, otherwise = UNKNOWN_PART): string {
  return (Object.hasOwn(reasons, part) ? reasons[part] : undefined) ?? otherwise;
}
