/** The YAML of objects that are converted as a whole, and their remaining errors. */
import { isAboutNewer } from '../check/newer-fields.ts';
import { formatYamlStream } from '../source/format-yaml.ts';
import { findErrors } from '../starter/server-problem.ts';
import type { CarriedObject, ImportPlan, NotCarried } from './plan.ts';

/** One document per object. */
export function formatObjects(objects: readonly CarriedObject[]): string {
  return formatYamlStream(objects.map(({ value }) => value));
}

/** Codes about one object alone: objects that it refers to may be in other files. */
const OF_ONE_OBJECT = /^LNT1/;

/** Adds errors that the migration does not know: fields that this version refuses. */
export function withErrors(plan: ImportPlan): ImportPlan {
  const { objects, notCarried } = plan;
  if (objects.length === 0) return plan;
  const errors = findErrors(formatObjects(objects)).filter(({ code }) => OF_ONE_OBJECT.test(code));
  const found = errors.map(({ object, pointer, message, help, code }): NotCarried => {
    const named = objects.find(({ value }) => isNamed(value, object?.kind, object?.name));
    const at = pointer.slice(1).replaceAll('/', '.');
    const newer = isAboutNewer(help) ? `. ${help}` : '';
    const location = `${named?.place ?? ''} ${at}`.trim();
    return { file: named?.file ?? '', place: location, reason: `${message}${newer} (${code})` };
  });
  return { ...plan, notCarried: [...notCarried, ...found] };
}

function isNamed(value: object, kind: string | undefined, name: string | undefined): boolean {
  const object = value as { readonly kind?: unknown; readonly metadata?: { readonly name?: unknown } };
  return object.kind === kind && object.metadata?.name === name;
}
