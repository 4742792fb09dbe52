import type { TemplateNode, TemplateOperand, TemplatePipe, TemplateSpan, TemplateTree } from '#schemas';

/** A chain of fields that a template reads from its scope, such as `.steps.fetch.output.id`. */
export interface ReferencedPath {
  readonly path: readonly string[];
  readonly at: TemplateSpan;
}

/**
 * The fields that a template reads from its scope, in the order of the text. Left out are those read from anything else:
 * from the dot within `range` and `with`, from other variables than `$`, from results of functions. `$` is the scope
 * everywhere, unless the template declares a `$` of its own.
 */
export function referencedPaths({ nodes }: TemplateTree): readonly ReferencedPath[] {
  const found: ReferencedPath[] = [];
  inNodes(nodes, { dot: true, found, dollar: !nodes.some(redeclaresRoot) });
  return found.sort((a, b) => a.at[0] - b.at[0]);
}

interface Search {
  readonly found: ReferencedPath[];
  /** Whether the dot is the scope of the template. */
  readonly dot: boolean;
  /** Whether `$` is. */
  readonly dollar: boolean;
}

function inNodes(nodes: readonly TemplateNode[], search: Search): void {
  for (const node of nodes) {
    if (node.kind === 'text' || node.kind === 'break' || node.kind === 'continue') continue;
    inPipe(node.pipe, search);
    if (node.kind === 'action') continue;
    inNodes(node.body, node.kind === 'if' ? search : { ...search, dot: false });
    inNodes(node.otherwise, search);
  }
}

function inPipe(pipe: TemplatePipe, search: Search): void {
  for (const { operands } of pipe.commands) for (const operand of operands) inOperand(operand, search);
}

function inOperand(operand: TemplateOperand, search: Search): void {
  switch (operand.kind) {
    case 'field':
      if (search.dot) search.found.push({ path: operand.path, at: operand.at });
      return;
    case 'variable':
      if (search.dollar && operand.name === '$' && operand.path.length > 0) {
        search.found.push({ path: operand.path, at: operand.at });
      }
      return;
    case 'chain': {
      const read = search.dot ? fieldAlone(operand.base) : undefined;
      if (read === undefined) inOperand(operand.base, search);
      else search.found.push({ path: [...read, ...operand.path], at: operand.at });
      return;
    }
    case 'pipe':
      inPipe(operand, search);
      return;
    default:
  }
}

/** `(.a).b` reads what `.a.b` reads. */
function fieldAlone(operand: TemplateOperand): readonly string[] | undefined {
  if (operand.kind === 'field') return operand.path;
  if (operand.kind === 'dot') return [];
  if (operand.kind !== 'pipe' || operand.commands.length !== 1) return undefined;
  const [first, ...others] = operand.commands[0]?.operands ?? [];
  return first !== undefined && others.length === 0 ? fieldAlone(first) : undefined;
}

function redeclaresRoot(node: TemplateNode): boolean {
  if (node.kind === 'text' || node.kind === 'break' || node.kind === 'continue') return false;
  if (node.pipe.variables.includes('$')) return true;
  return node.kind !== 'action' && [...node.body, ...node.otherwise].some(redeclaresRoot);
}
