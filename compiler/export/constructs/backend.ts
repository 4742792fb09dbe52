import { call, plain } from '../typescript/code.ts';
import { stringLiteral } from '../typescript/literal.ts';
import { construct, Fields, onlyName, Unsayable, type Writing } from './construct.ts';

const METHODS: Readonly<Record<string, string>> = {
  MCPServer: 'Backend.server',
  MCPRemoteProxy: 'Backend.remote',
  MCPServerEntry: 'Backend.entry',
};

/** `Backend.server(…)` and its like. */
export function backend(writing: Writing) {
  const { object, world } = writing;
  const fields = new Fields(writing);
  const naming = fields.naming();
  const groupRef = fields.take('groupRef');
  if (groupRef === undefined) throw new Unsayable('it is in no group, so no gateway serves it.');
  const name = onlyName(groupRef, 'groupRef');
  const target = world.earlier(object, 'MCPGroup', name);
  const group =
    target === undefined ? call('Group.existing', plain(stringLiteral(name))) : plain(world.constantOf(target));
  for (const field of ['externalAuthConfigRef', 'headerForward'])
    if (fields.take(field) !== undefined) throw new Unsayable(`there is no prop for \`${field}\`.`);
  const code = construct(METHODS[object.kind] ?? '', writing, [
    ...naming,
    ...fields.member('group', group, 'spec', 'groupRef'),
    ...fields.rest(),
  ]);
  return { code };
}
