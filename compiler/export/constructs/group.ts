import { construct, type EmitContext, Fields } from './construct.ts';

/** `new Group(…)`. */
export function group(context: EmitContext) {
  const fields = new Fields(context);
  const naming = fields.naming();
  return { code: construct('new Group', context, [...naming, ...fields.rest()]) };
}
