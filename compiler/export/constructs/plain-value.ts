import { isObject } from '#schemas';
import { type Code, list, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';

/** Plain data as an expression without comments, for values that come from another document or appear in another order. */
export function emitPlainValue(value: unknown): Code {
  if (typeof value === 'string') return plain(formatStringLiteral(value));
  if (Array.isArray(value)) return list(value.map(emitPlainValue));
  if (!isObject(value)) return plain(Object.is(value, -0) ? '-0' : `${value}`);
  return {
    type: 'object',
    members: Object.entries(value).map(([key, member]) => ({ key, comments: [], value: emitPlainValue(member) })),
  };
}
