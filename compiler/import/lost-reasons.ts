/** Shared reasons why parts of a file are not converted. */

const UNKNOWN_PART = 'Lintel does not know it, so nothing was done about it';

/** @param meant the known member that a misspelt one probably means */
export function explainUnknownPart(meant: string | undefined): string {
  return meant === undefined ? UNKNOWN_PART : `${UNKNOWN_PART}: did you mean ${meant}?`;
}

/** Begins the text for settings about callers; the equivalent in specs follows. */
export const CALLERS = 'the new gateway lets in every caller who reaches its port: write';

/** @param reasons by known part; a lookup must ignore inherited names such as `constructor` */
export function explainLoss(part: string, reasons: Readonly<Record<string, string>>, otherwise: string): string {
  return (Object.hasOwn(reasons, part) ? reasons[part] : undefined) ?? otherwise;
}
