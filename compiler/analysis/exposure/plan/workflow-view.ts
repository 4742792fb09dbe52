/**
 * Parts of a workflow as an exposure shows them: templates as text, and a digest in place of what seems to be a secret. Different parts have
 * different views.
 */
import { isObject } from '#schemas';
import { holdsCredential } from '../../../source/credential-text.ts';
import { isSecretName } from '../../../source/secret-name.ts';
import { findSecretParameter } from '../../../source/secret-parameter.ts';
import { printTemplate } from '../../templates/index.ts';
import { definitionDigest } from '../definition-digest.ts';
import { sortedJson } from './sorted-json.ts';

/** A template by itself. */
export function templateView(tree: unknown): unknown {
  return namedTemplate('', tree);
}

/** An argument: the text of its template, or another value as `{ value }`. */
export function argumentView(argument: unknown, name: string): unknown {
  if (!isObject(argument)) return definitionDigest(argument);
  const [member, ...others] = Object.keys(argument);
  if (others.length > 0) return definitionDigest(argument);
  if (member === 'template') return namedTemplate(name, argument.template);
  return member === 'value' ? { value: valueView(argument.value, name) } : definitionDigest(argument);
}

/** Such as `retry, 3 times at most, the first time after 1000 ms`. */
export function errorPolicyView(policy: unknown): unknown {
  if (!isObject(policy)) return policy;
  const { action, count, delayMs, ...others } = policy;
  if (Object.keys(others).length > 0 || !/^\w+$/.test(String(action))) return sortedJson(policy);
  if (count === undefined && delayMs === undefined) return action;
  return `${action}, ${sortedJson(count)} times at most, the first time after ${sortedJson(delayMs)} ms`;
}

/** A value that stands in the spec. */
export function valueView(value: unknown, name: string): unknown {
  return hidesSecret(value, name) ? definitionDigest(value) : value;
}

/** A property of the output, with its templates as text. */
export function outputPropertyView(property: unknown, name: string): unknown {
  if (!isObject(property) || !isObject(property.from)) return definitionDigest(property);
  const { from, default: fallback, ...others } = property;
  return {
    ...others,
    ...('template' in from
      ? { value: namedTemplate(name, from.template) }
      : { properties: isObject(from.properties) ? mapped(from.properties, outputPropertyView) : null }),
    ...(fallback === undefined ? {} : { default: valueView(fallback, name) }),
  };
}

function mapped(object: object, view: (value: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, view(value, name)]));
}

function namedTemplate(name: string, tree: unknown): unknown {
  const text = printTemplate(tree);
  if (text === undefined) return definitionDigest(tree);
  // A reference alone holds nothing, whatever its name is.
  const isReference = /^\{\{[^"`{}]*\}\}$/.test(text);
  return !isReference && hidesSecret(text, name) ? definitionDigest(tree) : text;
}

/** Minimum length of a secret under the name `key`, which is often just an identifier. */
const LEAST_KEY = 16;
const DIGEST = /^sha256:[\da-f]{64}$/;

function hidesSecret(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some(one => hidesSecret(one, name));
  if (isObject(value)) return Object.entries(value).some(([member, inner]) => hidesSecret(inner, member));
  if (typeof value !== 'string' || value === '') return false;
  // What looks like the digest of a value must not stand for that value.
  if (DIGEST.test(value)) return true;
  if (isSecretName(name) || (/^key$/i.test(name) && value.length >= LEAST_KEY)) return true;
  if (holdsCredential(value) || value.split(/[\s"'<>]+/).some(word => findSecretParameter(word) !== undefined))
    return true;
  return /^\s*[[{]/.test(value) && hidesSecret(parsed(value), name);
}

/** JSON within a text; undefined for other texts. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
