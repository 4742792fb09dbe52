/** Types as text, combined with parentheses where operators need them. */

export interface TypeText {
  readonly text: string;
  /** The outermost operator. */
  readonly form: 'atom' | 'union' | 'intersection' | 'list';
}

export const UNKNOWN: TypeText = { text: 'unknown', form: 'atom' };
export const NEVER: TypeText = { text: 'never', form: 'atom' };

export function atom(text: string): TypeText {
  return { text, form: 'atom' };
}

export function union(types: readonly TypeText[]): TypeText {
  if (types.some(({ text }) => text === 'unknown')) return UNKNOWN;
  const distinct = [...new Set(types.filter(({ text }) => text !== 'never').map(type => parenthesize(type, 'list')))];
  if (distinct.length === 0) return NEVER;
  const only = types.find(({ text }) => text === distinct[0]);
  return distinct.length === 1 && only !== undefined ? only : { text: distinct.join(' | '), form: 'union' };
}

export function intersection(types: readonly TypeText[]): TypeText {
  if (types.some(({ text }) => text === 'never')) return NEVER;
  const known = types.filter(({ text }) => text !== 'unknown');
  const distinct = [...new Set(known.map(type => parenthesize(type, 'list')))];
  if (distinct.length === 0) return UNKNOWN;
  const only = known[0];
  return distinct.length === 1 && only !== undefined ? only : { text: distinct.join(' & '), form: 'intersection' };
}

export function formatListType(item: TypeText): TypeText {
  return { text: `readonly ${parenthesize(item)}[]`, form: 'list' };
}

/** Adds parentheses, except around an atom or a form that needs none here. */
export function parenthesize({ text, form }: TypeText, bare?: TypeText['form']): string {
  return form === 'atom' || form === bare ? text : `(${text})`;
}
