import type { TemplateNode, TemplateOperand, TemplatePipe, TemplateTree } from './template.ts';

/** The text of a template, without comments and unneeded spaces. */
export function formatTemplateText({ nodes }: TemplateTree): string {
  return printNodes(nodes);
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
