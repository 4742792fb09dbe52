/** Wording for changes of the steps of a workflow. */
import { isObject } from '#schemas';
import { isJson } from '../../../text/is-json.ts';
import type { LeafDifference } from '../plan/diff-leaves.ts';
import { formatSortedJson } from '../plan/sorted-json.ts';

type Words = Pick<LeafDifference, 'was' | 'is'> & { readonly name: string };

/** Texts for members of a step, where the spec has another name for the member. */
const MEMBERS: { readonly [member: string]: string } = {
  'call.reference': 'tool',
  callOnError: 'onError of each call',
  message: 'question',
  schema: 'schema of the answer',
  timeoutMs: 'timeout in ms',
};

/** A change of a step as `step ID`, or `step ID, MEMBER`; undefined for any other leaf. */
export function describeStep({ pattern, path, was, is, holders }: LeafDifference): Words | undefined {
  if (pattern === 'workflows[].steps[#]') return { name: 'order of the steps', was: listText(was), is: listText(is) };
  if (pattern.startsWith('workflows[].output')) return { name: shorten(path), was, is };
  const [, id, member] = /^workflows\[[^\]]*\]\.steps\[([^\]]*)\]\.?(.*)$/s.exec(path) ?? [];
  if (id === undefined || member === undefined) return undefined;
  const name = `step ${id}`;
  // A step of another type is a different step, so both steps are shown whole.
  if (member === 'type') return { name, was: formatStep(holders.was), is: formatStep(holders.is) };
  if (member === '') return { name, was: formatStep(was), is: formatStep(is) };
  const [, argument] = /^call\.arguments\{(.*)\}$/s.exec(member) ?? [];
  if (argument !== undefined)
    return { name: `${name}, argument ${argument}`, was: formatArgument(was), is: formatArgument(is) };
  const text =
    member === 'dependsOn' ? listText : member === 'defaultResults' ? formatArgument : (value: unknown) => value;
  const values = { was: text(was), is: text(is) };
  return { name: `${name}, ${MEMBERS[member] ?? member}`, ...values };
}

/** A shorter path: `output.properties{status}` becomes `output status`. */
function shorten(path: string): string {
  return path.replace(/^workflows\[[^\]]*\]\./, '').replace(/^output\.properties\{(.*)\}$/s, 'output $1');
}

function listText(value: unknown): unknown {
  return Array.isArray(value) ? (value.length === 0 ? null : value.join(', ')) : value;
}

/** A template is shown as its text, in quotes if it could be read as another value. */
function formatArgument(value: unknown): unknown {
  if (isObject(value) && 'value' in value) return formatSortedJson(value.value);
  return typeof value === 'string' && isJson(value) ? JSON.stringify(value) : value;
}

/** A whole step in one line, such as `calls pg_drop_table with name: {{.params.name}}; after agree; if {{…}}`. */
function formatStep(step: unknown): unknown {
  if (!isObject(step)) return step;
  const { id: _, type, call, message, condition, dependsOn, ...others } = step;
  const what = type === 'elicitation' ? `asks ${JSON.stringify(message)}` : callText(call);
  const rest = Object.entries(others).filter(([name, value]) => value !== null && !isUsual(name, value));
  return [
    what,
    ...(Array.isArray(dependsOn) && dependsOn.length > 0 ? [`after ${dependsOn.join(', ')}`] : []),
    ...(condition === null || condition === undefined ? [] : [`if ${asText(condition)}`]),
    ...rest.map(([name, value]) => `${MEMBERS[name] ?? name} ${asText(value)}`),
  ].join('; ');
}

function callText(call: unknown): string {
  if (!isObject(call)) return `calls ${asText(call)}`;
  const args = isObject(call.arguments) ? Object.entries(call.arguments) : [];
  const texts = args.map(([name, value]) => `${name}: ${asText(formatArgument(value))}`);
  return `calls ${asText(call.reference)}${texts.length === 0 ? '' : ` with ${texts.join(', ')}`}`;
}

/** Whether the members have the spec's default values and so need no mention. */
function isUsual(name: string, value: unknown): boolean {
  return name === 'timeoutMs' || (name.endsWith('nError') && value === 'abort');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : formatSortedJson(value ?? null);
}
