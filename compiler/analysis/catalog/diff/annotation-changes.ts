import type { CatalogItem } from '#schemas';
import { getMember, isObject } from '#schemas';
import type { Change, Effect } from './change.ts';
import { formatValue } from './escape-invisible.ts';

/**
 * What a tool may do according to its annotations. A missing hint counts as the worst case: not read-only, and then destructive.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
 */
export function readEffect(tool: CatalogItem): Effect {
  const hint = (name: string) => getMember(tool.annotations, name);
  if (hint('readOnlyHint') === true) return 'read-only';
  if (hint('destructiveHint') === false) return 'not destructive';
  return hint('destructiveHint') === true ? 'destructive' : 'destructive by default';
}

const HARM: { readonly [E in Effect]: number } = {
  'read-only': 0,
  'not destructive': 1,
  destructive: 2,
  'destructive by default': 2,
};

/** Changed hints, and a prominent line when the tool may now do more harm. */
export function diffAnnotations(before: CatalogItem, after: CatalogItem): Change[] {
  const [from, to] = [readEffect(before), readEffect(after)];
  // Policies may permit a tool because of its annotations, and only its backend knows whether they are true.
  const isChanged = HARM[to] !== HARM[from] && !(from.startsWith('destructive') && to.startsWith('destructive'));
  const worse: Change[] =
    isChanged || HARM[to] > HARM[from] ? [{ part: 'annotations', text: `${from} -> ${to}`, alarm: true }] : [];
  const names = [before, after].flatMap(({ annotations }) => (isObject(annotations) ? Object.keys(annotations) : []));
  const hints = [...new Set(names)].sort().flatMap((name): Change[] => {
    const [old, now] = [getMember(before.annotations, name), getMember(after.annotations, name)];
    const [oldText, nowText] = [old, now].map(value => (value === undefined ? 'not said' : formatValue(value)));
    return oldText === nowText ? [] : [{ part: `annotations.${name}`, text: `${oldText} -> ${nowText}` }];
  });
  return [...worse, ...hints];
}
