/** Why parts of a file are lost, where several forms of files have the same reason. */

const UNKNOWN_PART = 'Lintel does not know it, so nothing was done about it';

/** @param meant the member that was meant by a name that is not known */
export function unknownPart(meant: string | undefined): string {
  return meant === undefined ? UNKNOWN_PART : `${UNKNOWN_PART}: did you mean ${meant}?`;
}

/** For settings of who may call; what to write follows. */
export const CALLERS = 'the new gateway lets in every caller who reaches its port: write';

/** @param reasons of known parts; a file may name a part `constructor`, which every object inherits */
export function reasonFor(part: string, reasons: Readonly<Record<string, string>>, otherwise: string): string {
  return (Object.hasOwn(reasons, part) ? reasons[part] : undefined) ?? otherwise;
}
