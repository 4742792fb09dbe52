import { isObject } from '#schemas';
import { type Code, list, plain } from '../typescript/code.ts';
import { stringLiteral } from '../typescript/literal.ts';

/** Plain data as an expression without comments, for values that come from elsewhere or in another order. */
export function valueCode(value: unknown): Code {
  if (typeof value === 'string') return plain(stringLiteral(value));
  if (Array.isArray(value)) return list(value.map(valueCode));
  if (!isObject(value)) return plain(Object.is(value, -0) ? '-0' : `${value}`);
  return {
    type: 'object',
    members: Object.entries(value).map(([key, member]) => ({ key, comments: [], value: valueCode(member) })),
  };
}
