import { isObject, type TemplateNode, type TemplateOperand, type TemplatePipe, type TemplateTree } from '#schemas';
import { parseTemplate } from './parse-template.ts';

/**
 * The text of a template, without comments and unneeded spaces. Undefined for a tree without a text that parses to the same tree. So two
 * trees with the same text have the same meaning.
 */
export function printTemplate(tree: unknown): string | undefined {
  try {
    const text = printNodes((tree as TemplateTree).nodes);
    const parsed = parseTemplate(text);
    return 'tree' in parsed && formatContent(parsed.tree) === formatContent(tree) ? text : undefined;
  } catch (error) {
    // A bundle that was not built by Lintel may have any value in place of a tree.
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function printNodes(nodes: readonly TemplateNode[]): string {
  return nodes.map(printNode).join('');
}

function printNode(node: TemplateNode): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'action':
      return `{{${printPipe(node.pipe)}}}`;
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`;
    default: {
      const otherwise = node.otherwise.length === 0 ? '' : `{{else}}${printNodes(node.otherwise)}`;
      return `{{${node.kind} ${printPipe(node.pipe)}}}${printNodes(node.body)}${otherwise}{{end}}`;
    }
  }
}

function printPipe({ variables, assigns, commands }: TemplatePipe): string {
  const declared = variables.length === 0 ? '' : `${variables.join(', ')} ${assigns ? '=' : ':='} `;
  return declared + commands.map(({ operands }) => operands.map(printOperand).join(' ')).join(' | ');
}

function printOperand(operand: TemplateOperand): string {
  switch (operand.kind) {
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(operand.value);
    case 'string':
      // Go reads every escape that JSON writes.
      return JSON.stringify(operand.value);
    case 'int':
      return operand.value;
    case 'float':
      // Without a point or an exponent, the number would be an integer.
      return /[.e]/i.test(operand.value) ? operand.value : `${operand.value}.0`;
    case 'function':
      return operand.name;
    case 'field':
      return formatFields(operand.path);
    case 'variable':
      return operand.name + formatFields(operand.path);
    case 'chain':
      return printOperand(operand.base) + formatFields(operand.path);
    case 'pipe':
      return `(${printPipe(operand)})`;
  }
}

function formatFields(path: readonly string[]): string {
  return path.map(name => `.${name}`).join('');
}

/** The content of a tree for a comparison: without positions, and with neighbouring texts joined, since a comment between two texts has no effect. */
function formatContent(tree: unknown): string {
  return JSON.stringify(tree, (name, member: unknown) => {
    if (name === 'at') return undefined;
    if (Array.isArray(member)) return joinTexts(member);
    if (!isObject(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function joinTexts(nodes: readonly unknown[]): readonly unknown[] {
  const joined: unknown[] = [];
  for (const node of nodes) {
    const last = joined.at(-1);
    if (isText(last) && isText(node)) joined[joined.length - 1] = { kind: 'text', text: last.text + node.text };
    else joined.push(node);
  }
  return joined;
}

function isText(node: unknown): node is { readonly kind: 'text'; readonly text: string } {
  return isObject(node) && node.kind === 'text' && typeof node.text === 'string';
}
