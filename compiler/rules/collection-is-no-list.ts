import type { TemplateTree } from '#schemas';
import { isObject } from '#schemas';
import { parseTemplate } from '../analysis/templates/index.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type CompositeTool, listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';

/**
 * The collection of a `forEach` must be the text of a JSON array.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `collection` | renders a JSON array | LNT7029
 */
export function collectionIsNoList(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) =>
    tool.steps.flatMap(({ id, type, collection = '' }, index) => {
      const parsed = type === 'forEach' && collection !== '' ? parseTemplate(collection) : undefined;
      const problem = parsed !== undefined && 'tree' in parsed ? findProblem(parsed.tree, tool) : undefined;
      if (problem === undefined) return [];
      const { message, fix } = problem;
      const at = [...path, 'steps', index, 'collection'];
      const text = `the collection of step "${id}" must render a JSON array, and ${message}`;
      return [diagnose(resource.document, 'LNT7029', at, text, fix === undefined ? {} : { fix })];
    }),
  );
}

function findProblem({ nodes }: TemplateTree, tool: CompositeTool): { message: string; fix?: string } | undefined {
  const texts = nodes.flatMap(node => (node.kind === 'text' ? [node.text] : []));
  if (texts.length === nodes.length) {
    return isArray(texts.join('')) ? undefined : { message: 'this text is not a JSON array' };
  }
  const printed = findPrintedAlone(nodes);
  if (printed === undefined || !isStructured(printed, tool)) return undefined;
  const path = printed.join('.');
  return {
    message: `.${path} is printed in the form of templates, such as [a b] or map[a:b]`,
    fix: `write {{ json .${path} }}`,
  };
}

/** The field that a template prints, if it prints nothing else. */
function findPrintedAlone(nodes: TemplateTree['nodes']): readonly string[] | undefined {
  const actions = nodes.filter(node => node.kind !== 'text' || node.text.trim() !== '');
  const [only, ...others] = actions;
  if (only?.kind !== 'action' || others.length > 0 || only.pipe.variables.length > 0) return undefined;
  const operands = only.pipe.commands.flatMap(command => command.operands);
  const [operand] = operands;
  return operands.length === 1 && operand?.kind === 'field' ? operand.path : undefined;
}

/** Whether the value is certainly not a string. */
function isStructured([root, name = '', part, ...further]: readonly string[], tool: CompositeTool): boolean {
  if (root === 'steps') return part === 'output' && further.length === 0;
  const properties = tool.parameters?.properties;
  if (root !== 'params' || part !== undefined || !isObject(properties) || !Object.hasOwn(properties, name))
    return false;
  const schema = properties[name];
  return isObject(schema) && (schema.type === 'array' || schema.type === 'object');
}

function isArray(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}
