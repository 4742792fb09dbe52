import { EXPECTATIONS_ANNOTATION } from '#schemas';
import type { Path } from '../../source/source-document.ts';
import type { Line } from '../statement.ts';
import { construct, type EmitContext, Fields } from './construct.ts';
import type { ProgramNames } from './gateway/gateway-statement.ts';
import { readGateway } from './gateway/read-gateway.ts';
import { toStatements } from './gateway/to-statements.ts';
import type { ConstructCode } from './index.ts';

/** `new Gateway(…)` and its statements, if together they mean what the document says. */
export function gateway(writing: EmitContext): ConstructCode {
  const { object, world } = writing;
  const fields = new Fields(writing);
  const { writer } = fields;
  const read = readGateway(writing);
  const { backends, conflicts } = read;
  const sayings = toStatements(read, writing);
  const constant = world.constantOf(object);
  const code = construct('new Gateway', writing, [
    ...fields.naming([EXPECTATIONS_ANNOTATION]),
    ...read.members(writer),
  ]);
  const isEarly = backends.written.some(({ spec }) => conflicts.order.includes(spec.name));
  const { before, further } = backends.lines(constant, writer, isEarly);
  const tools = read.ownTools.map(tool => ({ toolName: tool.toolName, ...tool.lines(constant, writer) }));
  const words: ProgramNames = {
    gateway: constant,
    backend: name => backends.constantOf(name),
    ownTool: name => tools.find(({ toolName }) => toolName === name)?.constant ?? '',
    writer,
  };
  const said = sayings.map((saying): Line => {
    const about = saying.about.filter(path => isThere(object.value, path));
    return { code: saying.code(words), comments: about.flatMap(path => writer.comments.at(path)) };
  });
  backends.settle();
  return { before, code, further: [...further, ...tools.flatMap(({ lines }) => lines), ...said] };
}

function isThere(value: unknown, path: Path): boolean {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string | number, unknown>)[step];
  }
  return true;
}
