/** The text between the `%` and the verb. */
export interface Flags {
  width?: number;
  precision?: number;
  minus: boolean;
  plus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  /** `%#v`: Go syntax. */
  goSyntax: boolean;
}

export function createFlags(): Flags {
  return { minus: false, plus: false, sharp: false, space: false, zero: false, goSyntax: false };
}

/** Pads to the width, counted in characters. As in Go, zeros also pad text, and only on the left. */
export function pad(text: string, flags: Flags, zeros: boolean = flags.zero): string {
  const missing = (flags.width ?? 0) - [...cutToWidth(text, flags.width ?? 0)].length;
  if (missing <= 0) return text;
  if (flags.minus) return text + ' '.repeat(missing);
  return (zeros ? '0' : ' ').repeat(missing) + text;
}

/** As much of the text as can affect the width: a character has at most two code units. */
function cutToWidth(text: string, width: number): string {
  return text.length > 2 * width ? text.slice(0, 2 * width) : text;
}

/** The first characters, as many as the precision. */
export function truncate(text: string, { precision }: Flags): string {
  if (precision === undefined || text.length <= precision) return text;
  return [...text.slice(0, 2 * precision)].slice(0, precision).join('');
}
