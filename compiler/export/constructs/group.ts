import { construct, type EmitContext, Fields } from './construct.ts';

/** `new Group(…)`. */
export function group(writing: EmitContext) {
  const fields = new Fields(writing);
  const naming = fields.naming();
  return { code: construct('new Group', writing, [...naming, ...fields.rest()]) };
}
