import type { TemplateNode, TemplateOperand, TemplatePipe, TemplateTree } from '#schemas';
import { listReferencedPaths, type ReferencedPath } from './referenced-paths.ts';

/**
 * The fields of its scope that a template prints unchanged, by `{{ .params.title }}` alone, in textual order. Fields inside a branch whose
 * condition reads the same field are left out: the branch already handles a missing field.
 */
export function listPrintedPaths({ nodes }: TemplateTree): readonly ReferencedPath[] {
  return listPathsInNodes(nodes, [], true);
}

/**
 * @param asked the fields that enclosing branches test
 * @param dot whether the dot is the scope of the template
 */
function listPathsInNodes(
  nodes: readonly TemplateNode[],
  asked: readonly ReferencedPath[],
  dot: boolean,
): readonly ReferencedPath[] {
  return nodes.flatMap(node => {
    if (node.kind === 'text' || node.kind === 'break' || node.kind === 'continue') return [];
    if (node.kind === 'action') {
      const printed = findPrintedPath(node.pipe, dot);
      return printed === undefined || asked.some(({ path }) => startsWith(printed.path, path)) ? [] : [printed];
    }
    const all = [...asked, ...listReferencedPaths({ nodes: [{ kind: 'action', pipe: node.pipe }] })];
    return [
      ...listPathsInNodes(node.body, all, dot && node.kind === 'if'),
      ...listPathsInNodes(node.otherwise, all, dot),
    ];
  });
}

function findPrintedPath({ commands, variables }: TemplatePipe, dot: boolean): ReferencedPath | undefined {
  const [command, ...others] = commands;
  const [operand, ...more] = command?.operands ?? [];
  const isAlone = operand !== undefined && others.length + more.length + variables.length === 0;
  return isAlone ? readBy(operand, dot) : undefined;
}

function readBy(operand: TemplateOperand, dot: boolean): ReferencedPath | undefined {
  if (operand.kind === 'field') return dot ? operand : undefined;
  return operand.kind === 'variable' && operand.name === '$' ? operand : undefined;
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => path[index] === name);
}
