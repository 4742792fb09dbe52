import { ConsumedSpec, construct, type EmitContext } from './construct.ts';

/** `new Group(…)`. */
export function group(context: EmitContext) {
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  return { code: construct('new Group', context, [...naming, ...fields.rest()]) };
}
