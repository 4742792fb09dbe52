/** Which attributes policies read, and which type each use requires. */
import { type Expr, type Node, toNode } from './expression.ts';

/** Types that a claim or argument can have in Cedar. */
export type ValueType = 'String' | 'Long' | 'Boolean' | 'decimal' | 'Set<String>' | 'Set<Long>';

export interface AttributeUse {
  readonly of: 'principal' | 'resource' | 'context';
  readonly attr: string;
  /** Members below the attribute, as in `principal.claim_realm_access.roles`; the attribute is then a record. */
  readonly members: readonly string[];
  /** The required type of the last member, or of the attribute itself; undefined when any type is valid. */
  readonly type: ValueType | undefined;
}

/** Every attribute of the request that an expression reads or tests. */
export function listAttributeUses(expr: Expr, ofType?: ValueType): readonly AttributeUse[] {
  const node = toNode(expr);
  switch (node.op) {
    case 'Value':
    case 'Var':
      return [];
    case '.':
      return [...listUses(node.left, [node.attr], ofType), ...listAttributeUses(node.left)];
    case 'has':
      return [...listUses(node.left, node.attrs, undefined), ...listAttributeUses(node.left)];
    case '!':
      return listAttributeUses(node.arg, 'Boolean');
    case 'neg':
      return listAttributeUses(node.arg, 'Long');
    case 'isEmpty':
      return listAttributeUses(node.arg, 'Set<String>');
    case 'like':
      return listAttributeUses(node.left, 'String');
    case 'is':
      return [...listAttributeUses(node.left), ...(node.in === undefined ? [] : listAttributeUses(node.in))];
    case 'if':
      return [
        ...listAttributeUses(node.test, 'Boolean'),
        ...listAttributeUses(node.yes, ofType),
        ...listAttributeUses(node.no, ofType),
      ];
    case 'Set':
      return node.elements.flatMap(element => listAttributeUses(element, inferElementType(node.elements)));
    case 'Record':
      return Object.values(node.members).flatMap(member => listAttributeUses(member));
    case 'call':
      return node.args.flatMap(arg => listAttributeUses(arg, 'decimal'));
    default: {
      const [left, right] = inferOperandTypes(node);
      return [...listAttributeUses(node.left, left), ...listAttributeUses(node.right, right)];
    }
  }
}

function listUses(left: Expr, path: readonly string[], type: ValueType | undefined): readonly AttributeUse[] {
  const node = toNode(left);
  if (node.op === '.') return listUses(node.left, [node.attr, ...path], type);
  if (node.op === 'if') return [...listUses(node.yes, path, type), ...listUses(node.no, path, type)];
  if (node.op !== 'Var' || node.name === 'action') return [];
  const [attr = '', ...members] = path;
  return [{ of: node.name, attr, members, type }];
}

type Binary = Extract<Node, { readonly right: Expr }>;

function inferOperandTypes({ op, left, right }: Binary): readonly [ValueType | undefined, ValueType | undefined] {
  switch (op) {
    case '&&':
    case '||':
      return ['Boolean', 'Boolean'];
    case '==':
    case '!=':
      return [readType(right), readType(left)];
    case 'contains':
      return [readType(right) === 'Long' ? 'Set<Long>' : 'Set<String>', toElementType(readType(left))];
    case 'containsAll':
    case 'containsAny':
      return [readType(right) ?? 'Set<String>', readType(left) ?? 'Set<String>'];
    case 'in':
    case 'getTag':
    case 'hasTag':
      return [undefined, undefined];
    default:
      return ['Long', 'Long'];
  }
}

/** The type of a literal. */
function readType(expr: Expr): ValueType | undefined {
  const node = toNode(expr);
  if (node.op === 'Set') {
    const element = inferElementType(node.elements);
    return element === 'String' || element === 'Long' ? `Set<${element}>` : undefined;
  }
  if (node.op === 'call') return node.name === 'decimal' ? 'decimal' : undefined;
  if (node.op !== 'Value') return undefined;
  if (typeof node.value === 'string') return 'String';
  if (typeof node.value === 'number') return 'Long';
  return typeof node.value === 'boolean' ? 'Boolean' : undefined;
}

function inferElementType(elements: readonly Expr[]): ValueType | undefined {
  return elements.map(readType).find(type => type !== undefined);
}

function toElementType(type: ValueType | undefined): ValueType | undefined {
  return type === 'Set<Long>' ? 'Long' : 'String';
}
