import { type Code, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import {
  type ConstructCode,
  ConsumedSpec,
  type EmitContext,
  emitConstruct,
  NotRepresentable,
  requireOnlyName,
} from './construct.ts';
import { emitHeaders } from './headers.ts';

const METHODS: Readonly<Record<string, string>> = {
  MCPServer: 'Backend.server',
  MCPRemoteProxy: 'Backend.remote',
  MCPServerEntry: 'Backend.entry',
};

/** The call that creates a backend, such as `Backend.server(…)`. */
export function emitBackend(context: EmitContext): ConstructCode {
  const { object, program } = context;
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  const groupRef = fields.take('groupRef');
  if (groupRef === undefined)
    throw new NotRepresentable('`groupRef` is missing, and every `Backend` belongs to a group.');
  const name = requireOnlyName(groupRef, 'groupRef');
  const target = program.findEarlier(object, 'MCPGroup', name);
  const group =
    target === undefined
      ? call('Group.existing', plain(formatStringLiteral(name)))
      : plain(program.getConstant(target));
  const forward = fields.block('headerForward');
  const fixed =
    forward &&
    emitHeaders(forward, 'addPlaintextHeaders', 'addHeadersFromSecret', {
      name: 'headerName',
      reference: 'valueSecretRef',
    });
  if (forward !== undefined && fixed === undefined) throw new NotRepresentable('`headerForward` contains no headers.');
  forward?.done();
  const auth = emitCredential(fields.take('externalAuthConfigRef'), context);
  // The remaining fields become props of the same names.
  const rest = fields.rest();
  const code = emitConstruct(METHODS[object.kind] ?? '', context, [
    ...naming,
    ...fields.emit('group', 'groupRef', group),
    ...rest,
    ...fields.emit('headers', 'headerForward', fixed),
    ...fields.emit('auth', 'externalAuthConfigRef', auth),
  ]);
  return { code };
}

function emitCredential(reference: unknown, { object, program }: EmitContext): Code | undefined {
  if (reference === undefined) return undefined;
  const name = requireOnlyName(reference, 'externalAuthConfigRef');
  const emitted = program.findConstant(object, 'MCPExternalAuthConfig', name);
  if (emitted !== undefined) return plain(emitted);
  const target = program.findEarlier(object, 'MCPExternalAuthConfig', name);
  const text = target === undefined ? formatStringLiteral(name) : `${program.getConstant(target)}.name`;
  return call('OutgoingAuth.existing', plain(text));
}
