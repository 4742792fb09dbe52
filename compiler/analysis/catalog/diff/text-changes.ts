import type { Change } from './change.ts';
import { escapeInvisible, hidesSomething } from './escape-invisible.ts';
import { diffWords } from './text-diff.ts';

/** The changes of a text such as a description; undefined on the side that has none. */
export function diffTexts(part: string, before: unknown, after: unknown): Change[] {
  if (typeof after !== 'string') return [{ part, text: 'removed' }];
  const hidden: Change[] =
    hidesSomething(after) && !(typeof before === 'string' && hidesSomething(before))
      ? [{ part, text: 'now holds invisible characters', alarm: true }]
      : [];
  if (typeof before !== 'string') return [{ part, text: `added: ${escapeInvisible(diffWords('', after))}` }, ...hidden];
  const words = diffWords(before, after);
  const isLayout = !words.includes('[-') && !words.includes('{+');
  return [{ part, text: isLayout ? 'changed in white space only' : escapeInvisible(words) }, ...hidden];
}
