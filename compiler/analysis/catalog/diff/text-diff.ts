/** Compares two texts word by word. */

/** Unchanged words shown on either side of a change. */
const CONTEXT = 3;

/** Limit on the size of the comparison table, which is the product of the lengths; longer texts are not aligned. */
const MAX_CELLS = 1_000_000;

/** One line with `[-removed-]` and `{+added+}` words and their context; `…` stands for unchanged text. */
export function diffWords(before: string, after: string): string {
  const parts = align(splitWords(before), splitWords(after));
  return parts
    .map(({ op, words }, index) => {
      if (op === 'removed') return `[-${words.join(' ')}-]`;
      if (op === 'added') return `{+${words.join(' ')}+}`;
      return formatContext(words, index === 0, index === parts.length - 1);
    })
    .join(' ');
}

interface DiffPart {
  readonly op: 'equal' | 'removed' | 'added';
  readonly words: string[];
}

/** The words of a text. White space does not count: texts that differ only in white space are shown as equal. */
function splitWords(text: string): readonly string[] {
  return text.split(/\s+/u).filter(word => word !== '');
}

function formatContext(words: readonly string[], isFirst: boolean, isLast: boolean): string {
  const head = isFirst ? 0 : CONTEXT;
  const tail = isLast ? 0 : CONTEXT;
  if (words.length <= head + tail + 1) return words.join(' ');
  return [...words.slice(0, head), '…', ...words.slice(words.length - tail)].join(' ');
}

function align(before: readonly string[], after: readonly string[]): readonly DiffPart[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const parts: DiffPart[] = [];
  const push = (op: DiffPart['op'], words: readonly string[]) => {
    const last = parts.at(-1);
    if (words.length === 0) return;
    if (last?.op === op) last.words.push(...words);
    else parts.push({ op, words: [...words] });
  };
  push('equal', before.slice(0, start));
  diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end), push);
  push('equal', before.slice(before.length - end));
  return parts;
}

/** The longest common subsequence; ties are resolved by removing first. */
function diffMiddle(
  before: readonly string[],
  after: readonly string[],
  push: (op: DiffPart['op'], words: readonly string[]) => void,
): void {
  if (before.length * after.length > MAX_CELLS) {
    push('removed', before);
    push('added', after);
    return;
  }
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      push('equal', before.slice(i, i + 1));
      i += 1;
      j += 1;
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      push('removed', before.slice(i, i + 1));
      i += 1;
    } else {
      push('added', after.slice(j, j + 1));
      j += 1;
    }
  }
}
