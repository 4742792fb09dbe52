import { EXPECTATIONS_ANNOTATION } from '#schemas';
import type { Path } from '../../source/source-document.ts';
import type { Line } from '../statement.ts';
import { type ConstructCode, ConsumedSpec, type EmitContext, emitConstruct } from './construct.ts';
import type { ProgramNames } from './gateway/gateway-statement.ts';
import { readGateway } from './gateway/read-gateway.ts';
import { toStatements } from './gateway/to-statements.ts';

/** The call `new Gateway(…)` and its statements, if together they mean the same as the document. */
export function emitGateway(context: EmitContext): ConstructCode {
  const { object, program } = context;
  const fields = new ConsumedSpec(context);
  const { writer } = fields;
  const read = readGateway(context);
  const { backends, conflicts } = read;
  const statements = toStatements(read, context);
  const constant = program.getConstant(object);
  const code = emitConstruct('new Gateway', context, [
    ...fields.naming([EXPECTATIONS_ANNOTATION]),
    ...read.members(writer),
  ]);
  const isEarly = backends.written.some(({ spec }) => conflicts.order.includes(spec.name));
  const { before, further } = backends.lines(constant, writer, isEarly);
  const tools = read.ownTools.map(tool => ({ toolName: tool.toolName, ...tool.lines(constant, writer) }));
  const words: ProgramNames = {
    gateway: constant,
    backend: name => backends.getConstant(name),
    ownTool: name => tools.find(({ toolName }) => toolName === name)?.constant ?? '',
    writer,
  };
  const emitted = statements.map((statement): Line => {
    const about = statement.about.filter(path => isThere(object.value, path));
    return { code: statement.code(words), comments: about.flatMap(path => writer.comments.at(path)) };
  });
  backends.settle();
  return { before, code, further: [...further, ...tools.flatMap(({ lines }) => lines), ...emitted] };
}

function isThere(value: unknown, path: Path): boolean {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string | number, unknown>)[step];
  }
  return true;
}
