/** Item names in policies: `resource.name == "search"`, `["search", "push"].contains(resource.name)`. */
import { CEDAR_ACTIONS, type CedarAction } from '#shared/plan';
import type { TextSpan } from '../../source/locate-finding.ts';
import { type Expr, type PolicyJson, parseEntityUid, toNode } from './expression.ts';
import { unescapeText } from './named-entities.ts';
import type { ParsedPolicy } from './parse-policies.ts';
import { isString, type Token, tokenize } from './tokens.ts';
import { type Sense, visitTests } from './visit-tests.ts';

export interface ComparedName {
  readonly name: string;
  /** The item types that the name may belong to, as far as the policy's scope allows: `Tool`, `Prompt` or `Resource`. */
  readonly types: readonly string[];
  /** What a match does to the call. */
  readonly sense: Sense;
  readonly part: TextSpan;
}

type Naming = (typeof CEDAR_ACTIONS)[CedarAction]['naming'];

/** The texts that a policy compares with the name or the URI of the requested item. `name-patterns.ts` has the patterns (`like`). */
export function listComparedNames(policy: ParsedPolicy): readonly ComparedName[] {
  const { text, json } = policy;
  const compared = listComparisons(policy);
  if (compared.length === 0) return [];
  const tokens = [...tokenize(text)];
  return compared.flatMap(({ naming, name, sense }) => {
    const types = listNamedTypes(json, naming);
    return types.length === 0 ? [] : [{ name, types, sense, part: locate(tokens, naming, name) }];
  });
}

interface NameComparison {
  readonly naming: Naming;
  readonly name: string;
  readonly sense: Sense;
}

function listComparisons(policy: ParsedPolicy): readonly NameComparison[] {
  const found: NameComparison[] = [];
  visitTests(policy, (node, sense) => {
    const pairs =
      node.op === '==' || node.op === '!='
        ? [...pairComparison(node.left, node.right), ...pairComparison(node.right, node.left)]
        : node.op === 'contains'
          ? listElements(node.left).flatMap(element => pairComparison(node.right, element))
          : [];
    found.push(...pairs.map(pair => ({ ...pair, sense })));
  });
  return found;
}

function listElements(expr: Expr): readonly Expr[] {
  const node = toNode(expr);
  return node.op === 'Set' ? node.elements : [];
}

/** @param attribute the operand that may be `resource.name` */
function pairComparison(attribute: Expr, text: Expr): readonly Omit<NameComparison, 'sense'>[] {
  const node = toNode(attribute);
  const value = toNode(text);
  if (node.op !== '.' || value.op !== 'Value' || typeof value.value !== 'string') return [];
  const holder = toNode(node.left);
  const isNaming = node.attr === 'name' || node.attr === 'uri';
  // No item has an empty name: a comparison with "" tests whether there is a name.
  if (!isNaming || holder.op !== 'Var' || holder.name !== 'resource' || value.value === '') return [];
  return [{ naming: node.attr as Naming, name: value.value }];
}

/** The item types that have such an attribute and that the policy's scope allows. */
export function listNamedTypes({ action, resource }: PolicyJson, naming: Naming): readonly string[] {
  const actions = listActions(action);
  const type = findResourceType(resource);
  return Object.entries(CEDAR_ACTIONS)
    .filter(([name, definition]) => definition.naming === naming && (actions === undefined || actions.includes(name)))
    .map(([, definition]) => definition.type)
    .filter(value => type === undefined || value === type);
}

/** The actions that a scope allows; undefined for any action. */
function listActions(constraint: PolicyJson['action']): readonly string[] | undefined {
  if (constraint.op === 'All') return undefined;
  const named = 'entities' in constraint ? constraint.entities : 'entity' in constraint ? [constraint.entity] : [];
  return named.map(uid => parseEntityUid(uid).id);
}

/** The type of resources that a scope allows; undefined when the scope does not fix it. */
function findResourceType(constraint: PolicyJson['resource']): string | undefined {
  if (constraint.op === 'is') return constraint.entity_type;
  return constraint.op === '==' && 'entity' in constraint ? parseEntityUid(constraint.entity).type : undefined;
}

/** The position of the string; of several equal strings, the first one that is compared with the attribute. */
function locate(tokens: readonly Token[], naming: Naming, name: string): TextSpan {
  const equal = tokens.flatMap((token, at) => (isString(token) && unescapeText(token.text) === name ? [at] : []));
  const at = equal.find(index => isCompared(tokens, index, naming)) ?? equal[0] ?? 0;
  const { text = '', offset = 0 } = tokens[at] ?? {};
  return { offset, length: text.length };
}

function isCompared(tokens: readonly Token[], at: number, naming: Naming): boolean {
  const words = (from: number, count: number) =>
    tokens
      .slice(Math.max(0, from), from + count)
      .map(({ text }) => text)
      .join(' ');
  const attribute = `resource . ${naming}`;
  if ([`${attribute} ==`, `${attribute} !=`].includes(words(at - 4, 4))) return true;
  if ([`== ${attribute}`, `!= ${attribute}`].includes(words(at + 1, 4))) return true;
  let end = at;
  while (end < tokens.length && tokens[end]?.text !== ']') end += 1;
  return words(end + 1, 6) === `. contains ( ${attribute}`;
}
