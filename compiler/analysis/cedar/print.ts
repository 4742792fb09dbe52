import { type CedarValueJson, type Expr, type Node, type PatternElem, readEntityUid, toNode } from './expression.ts';

/** Precedence of operators, loosest first; operators that are not listed need no parentheses. */
const BINDING: Readonly<Record<string, number>> = {
  if: 0,
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  in: 3,
  has: 3,
  like: 3,
  is: 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '!': 6,
  neg: 6,
};

const MEMBER = 7;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Prints an expression as Cedar with minimal parentheses. */
export function print(expr: Expr, atLeast = 0): string {
  const node = toNode(expr);
  const text = printNode(node);
  return (BINDING[node.op] ?? MEMBER) < atLeast ? `(${text})` : text;
}

/** Prints an expression as Cedar, without parentheses around it. */
export function printNode(node: Node): string {
  const binding = BINDING[node.op] ?? MEMBER;
  switch (node.op) {
    case 'Value':
      return printValue(node.value);
    case 'Var':
      return node.name;
    case '!':
      return `!${print(node.arg, binding)}`;
    case 'neg':
      return `-${print(node.arg, binding)}`;
    case 'isEmpty':
      return `${print(node.arg, MEMBER)}.isEmpty()`;
    case '.':
      return `${print(node.left, MEMBER)}${printAccess(node.attr)}`;
    case 'has':
      return `${print(node.left, binding + 1)} has ${node.attrs.length > 1 ? node.attrs.join('.') : printAttributeName(node.attrs[0] ?? '')}`;
    case 'like':
      return `${print(node.left, binding + 1)} like ${printPattern(node.pattern)}`;
    case 'is': {
      const within = node.in === undefined ? '' : ` in ${print(node.in, binding + 1)}`;
      return `${print(node.left, binding + 1)} is ${node.type}${within}`;
    }
    case 'if':
      return `if ${print(node.test)} then ${print(node.yes)} else ${print(node.no)}`;
    case 'Set':
      return `[${node.elements.map(element => print(element)).join(', ')}]`;
    case 'Record':
      return `{${Object.entries(node.members)
        .map(([key, expr]) => `${quote(key)}: ${print(expr)}`)
        .join(', ')}}`;
    case 'call':
      return printCall(node.name, node.args);
    case 'contains':
    case 'containsAll':
    case 'containsAny':
    case 'getTag':
    case 'hasTag':
      return `${print(node.left, MEMBER)}.${node.op}(${print(node.right)})`;
    default: {
      // `&&`, `||`, `+`, `-` and `*` are left-associative; comparisons cannot be chained.
      const remaining = binding === 3 ? binding + 1 : binding;
      return `${print(node.left, remaining)} ${node.op} ${print(node.right, binding + 1)}`;
    }
  }
}

/** Functions that construct a value are called by name, all others as methods of their first argument. */
const CONSTRUCTORS: ReadonlySet<string> = new Set(['decimal', 'ip', 'datetime', 'duration']);

function printCall(name: string, args: readonly Expr[]): string {
  const [first, ...others] = args;
  if (CONSTRUCTORS.has(name) || first === undefined) return `${name}(${args.map(arg => print(arg)).join(', ')})`;
  return `${print(first, MEMBER)}.${name}(${others.map(value => print(value)).join(', ')})`;
}

export function printValue(value: CedarValueJson): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`;
  const uid = readEntityUid(value);
  if (uid !== undefined) return `${uid.type}::${quote(uid.id)}`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? quote(value) : String(value);
  if (Object.hasOwn(value, '__extn')) {
    const {
      fn,
      arg,
      args = [arg],
    } = (value as { __extn: { fn: string; arg: CedarValueJson; args?: CedarValueJson[] } }).__extn;
    return `${fn}(${args.map(printValue).join(', ')})`;
  }
  return `{${Object.entries(value)
    .map(([key, member]) => `${quote(key)}: ${printValue(member)}`)
    .join(', ')}}`;
}

/** The access to an attribute, such as `.claim_team`, or `["claim_my team"]` when the name is not an identifier. */
export function printAccess(attr: string): string {
  return IDENTIFIER.test(attr) ? `.${attr}` : `[${quote(attr)}]`;
}

/** The right side of `has`. */
export function printAttributeName(attr: string): string {
  return IDENTIFIER.test(attr) ? attr : quote(attr);
}

/** The pattern on the right side of `like`. */
export function printPattern(pattern: readonly PatternElem[]): string {
  return `"${pattern.map(formatPatternElement).join('')}"`;
}

function formatPatternElement(part: PatternElem): string {
  if (part === 'Wildcard') return '*';
  return quote(part.Literal).slice(1, -1).replaceAll('*', '\\*');
}

/** A Cedar string literal; invisible characters are escaped. */
export function quote(text: string): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, value => {
    if (value === '\n') return '\\n';
    return `\\u{${value.codePointAt(0)?.toString(16)}}`;
  });
  return `"${escaped}"`;
}
