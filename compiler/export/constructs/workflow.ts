import { getMember, isObject } from '#schemas';
import type { Path } from '../../source/source-document.ts';
import type { ProgramScope } from '../program-scope.ts';
import type { Line } from '../statement.ts';
import { type Code, type CommentedMember, call, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import type { ValueWriter } from '../value-code.ts';
import { emitFields } from '../workflow/fields-code.ts';
import { emitOutput } from '../workflow/output-code.ts';
import type { KnownStep } from '../workflow/scope.ts';
import { emitStep } from '../workflow/step-code.ts';
import { ConsumedMapping } from './block.ts';
import { type ConstructCode, ConsumedSpec, type EmitContext, emitConstruct, NotRepresentable } from './construct.ts';
import { isDuration, isText } from './prop-guards.ts';

/** What the code for a workflow needs from the rest of the program. */
export interface WorkflowContext {
  readonly program: ProgramScope;
  readonly writer: ValueWriter;
  /** The tool of a step, such as `github.search`; undefined when the program has no construct for its backend. */
  readonly findTool: (reference: string) => Code | undefined;
}

/**
 * The lines that create a composite tool of a gateway: `new Workflow(gateway, …)` with its steps. A workflow with settings that `Workflow` does not
 * have becomes `new WrittenWorkflow(…)`.
 *
 * @param place its `host` is the const of the gateway
 * @returns the first line creates the workflow and declares its const
 */
export function emitWorkflow(
  tool: unknown,
  path: Path,
  place: WorkflowContext & { readonly host: string },
): readonly Line[] {
  const { program, writer, host } = place;
  const comments = writer.comments.at(path);
  const name = isObject(tool) && typeof tool.name === 'string' ? tool.name : 'workflow';
  const constant = program.reserveConstant(name, `${name}-workflow`);
  const id = isFree(name) ? name : `${name.replaceAll('/', '-')}-workflow`;
  const made = (callee: string, members: readonly CommentedMember[]) =>
    call(callee, plain(host), plain(formatStringLiteral(id)), { type: 'object', members });
  try {
    return writer.comments.attempt(() => {
      const block = new ConsumedMapping(tool, path, writer);
      const naming = id === name ? take(block, 'name') : block.required('name');
      const { members, steps } = emitWorkflowCode(block, constant, place);
      return [{ constant, comments, code: made('new Workflow', [...naming, ...members]) }, ...steps];
    });
  } catch (error) {
    if (!(error instanceof NotRepresentable)) throw error;
    const code = made('new WrittenWorkflow', isObject(tool) ? writer.members(tool, path) : []);
    return [{ constant, comments: [...comments, `Written out: ${error.message}`], code }];
  }
}

/** The code `new WorkflowDefinition(…)`, whose steps name tools of backends in the same namespace. */
export function emitWorkflowDefinition(context: EmitContext): ConstructCode {
  const { object, program } = context;
  const fields = new ConsumedSpec(context);
  const naming = fields.naming();
  const findTool = (reference: string) => findToolCode(reference, context);
  const id = program.getId(object);
  const name = fields.peek('name') === id ? take(fields, 'name') : fields.required('name', 'name', isText);
  const { members, steps } = emitWorkflowCode(fields, program.getConstant(object), {
    program,
    writer: fields.writer,
    findTool: findTool,
  });
  const metadata: readonly CommentedMember[] =
    naming.length === 0 ? [] : [{ key: 'metadata', value: { type: 'object', members: naming }, comments: [] }];
  return { code: emitConstruct('new WorkflowDefinition', context, [...metadata, ...name, ...members]), further: steps };
}

/**
 * The props of a workflow without its name, and the calls that add steps.
 * @throws NotRepresentable
 */
function emitWorkflowCode(block: ConsumedMapping, constant: string, { program, writer, findTool }: WorkflowContext) {
  const { path } = block;
  const parameters = block.take('parameters');
  const input = parameters === undefined ? undefined : emitFields(parameters, [...path, 'parameters'], writer);
  const props = [
    ...block.required('description', 'description', isText),
    ...block.emit('input', 'parameters', input),
    ...block.prop('timeout', 'timeout', isDuration),
    ...block.props('annotations'),
  ];
  const steps = block.take('steps');
  if (!Array.isArray(steps) || steps.length === 0) throw new NotRepresentable('the workflow has no `steps`.');
  const result = block.block('output');
  const known: KnownStep[] = [];
  const lines = steps.map((step, index): Line => {
    const at = new ConsumedMapping(step, [...path, 'steps', index], writer);
    const comments = writer.comments.at(at.path);
    const { code, id, output } = emitStep(at, { workflow: constant, input: parameters, steps: known, findTool });
    if (!isReferredTo(id, steps, result)) return { comments, code };
    const own = program.reserveConstant(id, `${id}-step`);
    known.push({ id, constant: own, output });
    return { constant: own, comments, code };
  });
  const output = result && emitOutput(result, { workflow: constant, input: parameters, steps: known });
  block.done();
  return { members: props, steps: [...lines, ...(output === undefined ? [] : [{ code: output }])] };
}

/** Whether other steps wait for a step, or the result may read it. */
function isReferredTo(id: string, steps: readonly unknown[], result: ConsumedMapping | undefined): boolean {
  const isWaitedFor = steps.some(step => {
    const waits = getMember(step, 'dependsOn');
    return Array.isArray(waits) && waits.includes(id);
  });
  return isWaitedFor || JSON.stringify(result?.value ?? '').includes(JSON.stringify(id).slice(1, -1));
}

const KINDS = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];

/** An expression such as `github.tool('search')`, for a backend that has a const above. */
export function findToolCode(
  reference: string,
  { object, program }: Pick<EmitContext, 'object' | 'program'>,
): Code | undefined {
  for (let dot = reference.indexOf('.'); dot !== -1; dot = reference.indexOf('.', dot + 1)) {
    const backend = KINDS.map(kind => program.findConstant(object, kind, reference.slice(0, dot))).find(
      value => value !== undefined,
    );
    if (backend !== undefined) return call(`${backend}.tool`, plain(formatStringLiteral(reference.slice(dot + 1))));
  }
  return undefined;
}

/** Whether no other construct in the gateway has this id. The gateway's own object has an id in the same scope, and no id can contain a slash. */
function isFree(id: string): boolean {
  return id !== '' && id !== 'Resource' && !id.includes('/');
}

function take(block: ConsumedMapping, field: string): readonly CommentedMember[] {
  block.take(field);
  return [];
}
