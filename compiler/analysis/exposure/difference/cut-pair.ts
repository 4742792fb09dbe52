/** Cuts two long texts and keeps the part that differs between them. */

/** Code points that are kept before and after the part that differs. */
const CONTEXT = 40;

const GAP = ' … ';

/**
 * @param max a longer text is cut; in code points
 * @param isWhole keeps the whole part that differs, however long it is
 */
export function cutPair(
  before: string | null,
  after: string | null,
  max: number,
  isWhole = false,
): readonly [before: string | null, after: string | null] {
  if (before === null || after === null) {
    const cut = (text: string | null) => (text === null || isWhole ? text : cutMiddle([...text], max));
    return [cut(before), cut(after)];
  }
  const [was, is] = [[...before], [...after]];
  if (was.length <= max && is.length <= max) return [before, after];
  const shorter = Math.min(was.length, is.length);
  const start = countWhile(shorter, at => was[at] === is[at]);
  const end = countWhile(shorter - start, at => was.at(-1 - at) === is.at(-1 - at));
  const part = (text: readonly string[]) => {
    const [from, to] = [computeShortLength(start), text.length - computeShortLength(end)];
    const excerpt = text.slice(from, to);
    const shown = isWhole ? excerpt.join('') : cutMiddle(excerpt, max);
    return `${from > 0 ? '… ' : ''}${shown}${to < text.length ? ' …' : ''}`;
  };
  return [part(was), part(is)];
}

/** The number of code points of an equal part that are left out. */
function computeShortLength(length: number): number {
  return length > CONTEXT ? length - CONTEXT : 0;
}

function cutMiddle(chars: readonly string[], max: number): string {
  if (chars.length <= max) return chars.join('');
  const half = Math.floor((max - GAP.length) / 2);
  return `${chars.slice(0, half).join('')}${GAP}${chars.slice(chars.length - half).join('')}`;
}

function countWhile(most: number, isSame: (at: number) => boolean): number {
  let count = 0;
  while (count < most && isSame(count)) count += 1;
  return count;
}
