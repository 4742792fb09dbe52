import { type Code, call, plain } from '../typescript/code.ts';
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
  if (fields.take('headerForward') !== undefined) throw new Unsayable('headers are forwarded to it.');
  const auth = credential(fields.take('externalAuthConfigRef'), writing);
  const code = construct(METHODS[object.kind] ?? '', writing, [
    ...naming,
    ...fields.member('group', group, 'spec', 'groupRef'),
    ...fields.rest(),
    ...fields.member('auth', auth, 'spec', 'externalAuthConfigRef'),
  ]);
  return { code };
}

function credential(reference: unknown, { object, world }: Writing): Code | undefined {
  if (reference === undefined) return undefined;
  const name = onlyName(reference, 'externalAuthConfigRef');
  // By its name: a const would have to hold a construct of intent.
  const target = world.earlier(object, 'MCPExternalAuthConfig', name);
  const text = target === undefined ? stringLiteral(name) : `${world.constantOf(target)}.name`;
  return call('OutgoingAuth.existing', plain(text));
}
