import { type Code, call, plain } from '../typescript/code.ts';
import { stringLiteral } from '../typescript/literal.ts';
import { construct, type EmitContext, Fields, NotRepresentable, onlyName } from './construct.ts';
import { headers } from './headers.ts';
import type { ConstructCode } from './index.ts';

const METHODS: Readonly<Record<string, string>> = {
  MCPServer: 'Backend.server',
  MCPRemoteProxy: 'Backend.remote',
  MCPServerEntry: 'Backend.entry',
};

/** `Backend.server(…)` and its like. */
export function backend(writing: EmitContext): ConstructCode {
  const { object, world } = writing;
  const fields = new Fields(writing);
  const naming = fields.naming();
  const groupRef = fields.take('groupRef');
  if (groupRef === undefined)
    throw new NotRepresentable('it is in no group, and the construct is about members of one.');
  const name = onlyName(groupRef, 'groupRef');
  const target = world.earlier(object, 'MCPGroup', name);
  const group =
    target === undefined ? call('Group.existing', plain(stringLiteral(name))) : plain(world.constantOf(target));
  const forward = fields.block('headerForward');
  const fixed =
    forward &&
    headers(forward, 'addPlaintextHeaders', 'addHeadersFromSecret', {
      name: 'headerName',
      reference: 'valueSecretRef',
    });
  if (forward !== undefined && fixed === undefined)
    throw new NotRepresentable('it is given headers, and there are none.');
  forward?.done();
  const auth = credential(fields.take('externalAuthConfigRef'), writing);
  // Props have the names of fields.
  const rest = fields.rest();
  const code = construct(METHODS[object.kind] ?? '', writing, [
    ...naming,
    ...fields.said('group', 'groupRef', group),
    ...rest,
    ...fields.said('headers', 'headerForward', fixed),
    ...fields.said('auth', 'externalAuthConfigRef', auth),
  ]);
  return { code };
}

function credential(reference: unknown, { object, world }: EmitContext): Code | undefined {
  if (reference === undefined) return undefined;
  const name = onlyName(reference, 'externalAuthConfigRef');
  const said = world.said(object, 'MCPExternalAuthConfig', name);
  if (said !== undefined) return plain(said);
  const target = world.earlier(object, 'MCPExternalAuthConfig', name);
  const text = target === undefined ? stringLiteral(name) : `${world.constantOf(target)}.name`;
  return call('OutgoingAuth.existing', plain(text));
}
