/** The end of an action. */

const CLOSE = /(?<trim>[ \t\r\n]-)?\}\}/y;
const SPACE_AFTER = /[ \t\r\n]*/y;

/** The end of `}}` or ` -}}` at a position, including the space that ` -}}` trims; `undefined` when it is not there. */
export function matchClose(text: string, position: number): number | undefined {
  const close = matchAt(CLOSE, text, position);
  if (close === undefined) return undefined;
  const end = position + close[0].length;
  return close.groups?.trim === undefined ? end : end + (matchAt(SPACE_AFTER, text, end)?.[0].length ?? 0);
}

/** Matches a sticky pattern at exactly this position. */
export function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | undefined {
  pattern.lastIndex = position;
  return pattern.exec(text) ?? undefined;
}
