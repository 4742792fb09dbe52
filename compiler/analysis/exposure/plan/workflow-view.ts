/**
 * Parts of a workflow as an exposure shows them: templates as text, and digests in place of values that seem to be secrets. Different parts
 * have different views.
 */
import { isObject } from '#schemas';
import { holdsCredential } from '../../../source/credential-text.ts';
import { isSecretName } from '../../../source/secret-name.ts';
import { findSecretParameter } from '../../../source/secret-parameter.ts';
import { printTemplate } from '../../templates/index.ts';
import { computeDefinitionDigest } from '../definition-digest.ts';
import { formatSortedJson } from './sorted-json.ts';

/** A template by itself. */
export function toTemplateView(tree: unknown): unknown {
  return toNamedTemplate('', tree);
}

/** An argument: the text of its template, or another value as `{ value }`. */
export function toArgumentView(argument: unknown, name: string): unknown {
  if (!isObject(argument)) return computeDefinitionDigest(argument);
  const [member, ...others] = Object.keys(argument);
  if (others.length > 0) return computeDefinitionDigest(argument);
  if (member === 'template') return toNamedTemplate(name, argument.template);
  return member === 'value' ? { value: toValueView(argument.value, name) } : computeDefinitionDigest(argument);
}

/** An error policy in words, such as `retry, 3 times at most, the first time after 1000 ms`. */
export function toErrorPolicyView(policy: unknown): unknown {
  if (!isObject(policy)) return policy;
  const { action, count, delayMs, ...others } = policy;
  if (Object.keys(others).length > 0 || !/^\w+$/.test(String(action))) return formatSortedJson(policy);
  if (count === undefined && delayMs === undefined) return action;
  return `${action}, ${formatSortedJson(count)} times at most, the first time after ${formatSortedJson(delayMs)} ms`;
}

/** A value that stands in the spec. */
export function toValueView(value: unknown, name: string): unknown {
  return hidesSecret(value, name) ? computeDefinitionDigest(value) : value;
}

/** A property of the output, with its templates as text. */
export function toOutputPropertyView(property: unknown, name: string): unknown {
  if (!isObject(property) || !isObject(property.from)) return computeDefinitionDigest(property);
  const { from, default: fallback, ...others } = property;
  return {
    ...others,
    ...('template' in from
      ? { value: toNamedTemplate(name, from.template) }
      : { properties: isObject(from.properties) ? mapMembers(from.properties, toOutputPropertyView) : null }),
    ...(fallback === undefined ? {} : { default: toValueView(fallback, name) }),
  };
}

function mapMembers(object: object, view: (value: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, view(value, name)]));
}

function toNamedTemplate(name: string, tree: unknown): unknown {
  const text = printTemplate(tree);
  if (text === undefined) return computeDefinitionDigest(tree);
  // A text that consists of references only cannot contain a secret, even if its name looks like that of a secret.
  const isReference = /^\{\{[^"`{}]*\}\}$/.test(text);
  return !isReference && hidesSecret(text, name) ? computeDefinitionDigest(tree) : text;
}

/** Minimum length of a secret under the name `key`, which is often just an identifier. */
const LEAST_KEY = 16;
const DIGEST = /^sha256:[\da-f]{64}$/;

function hidesSecret(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some(element => hidesSecret(element, name));
  if (isObject(value)) return Object.entries(value).some(([member, inner]) => hidesSecret(inner, member));
  if (typeof value !== 'string' || value === '') return false;
  // A literal that looks like the digest of another value is replaced by its own digest.
  if (DIGEST.test(value)) return true;
  if (isSecretName(name) || (/^key$/i.test(name) && value.length >= LEAST_KEY)) return true;
  if (holdsCredential(value) || value.split(/[\s"'<>]+/).some(word => findSecretParameter(word) !== undefined))
    return true;
  return /^\s*[[{]/.test(value) && hidesSecret(parseOrKeep(value), name);
}

/** The JSON value in a text; undefined for any other text. */
function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
