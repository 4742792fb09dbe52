import type { Change } from './change.ts';
import { hidesSomething, visible } from './shown.ts';
import { wordDiff } from './text-diff.ts';

/** The changes of a text such as a description; undefined on the side that has none. */
export function textChanges(part: string, before: unknown, after: unknown): Change[] {
  if (typeof after !== 'string') return [{ part, text: 'removed' }];
  const hidden: Change[] =
    hidesSomething(after) && !(typeof before === 'string' && hidesSomething(before))
      ? [{ part, text: 'now holds invisible characters', alarm: true }]
      : [];
  if (typeof before !== 'string') return [{ part, text: `added: ${visible(wordDiff('', after))}` }, ...hidden];
  const words = wordDiff(before, after);
  const isLayout = !words.includes('[-') && !words.includes('{+');
  return [{ part, text: isLayout ? 'changed in white space only' : visible(words) }, ...hidden];
}
