/** Label and field selectors of lists and watches. */
import { badRequest } from './api-error.ts';
import { isObject, type JsonObject } from './json.ts';

export type Selector = (object: JsonObject) => boolean;

const EVERYTHING: Selector = () => true;

/** Parses a label selector: equality (`a=b`, `a!=b`), sets (`a in (b,c)`, `a notin (b)`) and existence (`a`, `!a`), joined by commas. */
export function labelSelector(text: string | null): Selector {
  if (text === null || text.trim() === '') return EVERYTHING;
  const requirements = text.split(/,(?![^(]*\))/).map(part => labelRequirement(part.trim()));
  return object => {
    const { labels } = (object.metadata ?? {}) as { readonly labels?: { readonly [name: string]: string } };
    return requirements.every(requirement => requirement(labels ?? {}));
  };
}

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?';

function labelRequirement(text: string): (labels: { readonly [name: string]: string }) => boolean {
  const set = new RegExp(`^(${NAME})\\s+(in|notin)\\s*\\(([^)]*)\\)$`).exec(text);
  if (set !== null) {
    const [, name = '', operator, list = ''] = set;
    const values = list.split(',').map(value => value.trim());
    return labels => (operator === 'in') === (labels[name] !== undefined && values.includes(labels[name]));
  }
  const equal = new RegExp(`^(${NAME})\\s*(==|=|!=)\\s*([-A-Za-z0-9_.]*)$`).exec(text);
  if (equal !== null) {
    const [, name = '', operator, value] = equal;
    return labels => (operator !== '!=') === (labels[name] === value);
  }
  const exists = new RegExp(`^(!?)\\s*(${NAME})$`).exec(text);
  if (exists === null) throw badRequest(`unable to parse requirement: ${text}`);
  const [, not, name = ''] = exists;
  return labels => (not === '') === Object.hasOwn(labels, name);
}

/** The fields by which objects can be selected; the test double refuses others, like the real server. */
const FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'status.phase',
  'type',
  'reason',
  'involvedObject.kind',
  'involvedObject.name',
  'involvedObject.namespace',
  'involvedObject.uid',
];

export function fieldSelector(text: string | null): Selector {
  if (text === null || text.trim() === '') return EVERYTHING;
  const requirements = text.split(',').map(part => {
    const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(part.trim());
    const [, field = '', operator, value = ''] = match ?? [];
    if (match === null) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
    if (!FIELDS.includes(field)) throw badRequest(`field label not supported: ${field}`);
    const path = field.split('.');
    return (object: JsonObject) => {
      const found = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), object);
      return (operator !== '!=') === (String(found ?? '') === value);
    };
  });
  return object => requirements.every(requirement => requirement(object));
}
