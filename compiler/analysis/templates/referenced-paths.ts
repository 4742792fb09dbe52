import type {
  TemplateCommand,
  TemplateNode,
  TemplateOperand,
  TemplatePipe,
  TemplateSpan,
  TemplateTree,
} from '#schemas';

/** A chain of fields that a template reads from its scope, such as `.steps.fetch.output.id` or `index .steps "fetch"`. */
export interface ReferencedPath {
  readonly path: readonly string[];
  readonly at: TemplateSpan;
}

/**
 * The fields that a template reads from its scope, in the order of the text. Fields of anything else are left out: from the dot within `range`
 * and `with`, from other variables than `$`, from results of functions. `$` is the scope everywhere, unless the template declares a `$` of its
 * own.
 */
export function listReferencedPaths({ nodes }: TemplateTree): readonly ReferencedPath[] {
  const found: ReferencedPath[] = [];
  visitNodes(nodes, { dot: true, found, dollar: !nodes.some(redeclaresRoot) });
  return found.sort((a, b) => a.at[0] - b.at[0]);
}

interface Search {
  readonly found: ReferencedPath[];
  /** Whether the dot is the scope of the template. */
  readonly dot: boolean;
  /** Whether `$` is. */
  readonly dollar: boolean;
}

function visitNodes(nodes: readonly TemplateNode[], search: Search): void {
  for (const node of nodes) {
    if (node.kind === 'text' || node.kind === 'break' || node.kind === 'continue') continue;
    visitPipe(node.pipe, search);
    if (node.kind === 'action') continue;
    visitNodes(node.body, node.kind === 'if' ? search : { ...search, dot: false });
    visitNodes(node.otherwise, search);
  }
}

function visitPipe(pipe: TemplatePipe, search: Search): void {
  for (const command of pipe.commands) visitCommand(command, search);
}

function visitCommand(command: TemplateCommand, search: Search): void {
  const read = readByCommand(command, search);
  if (read === undefined) for (const operand of command.operands) visitOperand(operand, search);
  else note(read, command.operands.length === 1 ? command.operands[0]?.at : command.at, search);
}

function visitOperand(operand: TemplateOperand, search: Search): void {
  const read = readBy(operand, search);
  if (read !== undefined) note(read, operand.at, search);
  else if (operand.kind === 'pipe') visitPipe(operand, search);
  else if (operand.kind === 'chain') visitOperand(operand.base, search);
}

/** What an expression reads, if reading is all that it does. */
interface Read {
  readonly path: readonly string[];
  /** Keys known only at run time: the path ends before them. */
  readonly keys: readonly TemplateOperand[];
}

function note({ path, keys }: Read, at: TemplateSpan | undefined, search: Search): void {
  if (path.length > 0 && at !== undefined) search.found.push({ path, at });
  for (const key of keys) visitOperand(key, search);
}

function readBy(operand: TemplateOperand, search: Search): Read | undefined {
  switch (operand.kind) {
    case 'dot':
      return search.dot ? { path: [], keys: [] } : undefined;
    case 'field':
      return search.dot ? { path: operand.path, keys: [] } : undefined;
    case 'variable':
      return search.dollar && operand.name === '$' ? { path: operand.path, keys: [] } : undefined;
    case 'chain': {
      // `(.a).b` reads what `.a.b` reads.
      const base = readBy(operand.base, search);
      return base && extendRead(base, operand.path, []);
    }
    case 'pipe': {
      const [command, ...others] = operand.commands;
      const isAlone = command !== undefined && others.length === 0 && operand.variables.length === 0;
      return isAlone ? readByCommand(command, search) : undefined;
    }
    default:
      return undefined;
  }
}

/** `index .a "b"` reads the same field as `.a.b`. */
function readByCommand({ operands }: TemplateCommand, search: Search): Read | undefined {
  const [first, holder, ...keys] = operands;
  if (first === undefined || holder === undefined) return first && readBy(first, search);
  const base = first.kind === 'function' && first.name === 'index' ? readBy(holder, search) : undefined;
  if (base === undefined) return undefined;
  const open = keys.findIndex(({ kind }) => kind !== 'string');
  const known = open === -1 ? keys : keys.slice(0, open);
  return extendRead(
    base,
    known.map(key => (key as { readonly value: string }).value),
    open === -1 ? [] : keys.slice(open),
  );
}

function extendRead({ path, keys }: Read, further: readonly string[], open: readonly TemplateOperand[]): Read {
  return { path: keys.length === 0 ? [...path, ...further] : path, keys: [...keys, ...open] };
}

function redeclaresRoot(node: TemplateNode): boolean {
  if (node.kind === 'text' || node.kind === 'break' || node.kind === 'continue') return false;
  if (node.pipe.variables.includes('$')) return true;
  return node.kind !== 'action' && [...node.body, ...node.otherwise].some(redeclaresRoot);
}
