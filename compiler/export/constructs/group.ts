import { ConsumedSpec, type EmitContext, emitConstruct } from './construct.ts';

/** The code `new Group(…)`. */
export function emitGroup(context: EmitContext) {
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  return { code: emitConstruct('new Group', context, [...naming, ...fields.rest()]) };
}
