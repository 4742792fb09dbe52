/** Combinators for the shape of `server.json`: each check reports violations to a collector. */
import { getMember, isObject } from '../json-object.ts';
import { joinPointer, type ServerProblem } from './problem.ts';

/** Reports the violations in a value at a pointer. */
export type ServerCheck = (value: unknown, pointer: string, problems: ServerProblem[]) => void;

export interface Field {
  readonly check: ServerCheck;
  readonly isRequired: boolean;
}

export function required(check: ServerCheck): Field {
  return { check, isRequired: true };
}

export function optional(check: ServerCheck): Field {
  return { check, isRequired: false };
}

/** An object with these members; others may have any value. */
export function object(fields: { readonly [name: string]: Field }): ServerCheck {
  const known = Object.entries(fields);
  return (value, pointer, problems) => {
    if (!isObject(value)) {
      problems.push({ pointer, message: 'must be an object' });
      return;
    }
    for (const [name, { check, isRequired }] of known) {
      const member = getMember(value, name);
      if (member !== undefined) check(member, joinPointer(pointer, name), problems);
      else if (isRequired) problems.push({ pointer, message: `needs "${name}"` });
    }
  };
}

/** A check that makes all of these checks. */
export function all(...checks: readonly ServerCheck[]): ServerCheck {
  return (value, pointer, problems) => {
    for (const check of checks) check(value, pointer, problems);
  };
}

export function list(item: ServerCheck): ServerCheck {
  return (value, pointer, problems) => {
    if (!Array.isArray(value)) problems.push({ pointer, message: 'must be a list' });
    else for (const [index, element] of value.entries()) item(element, joinPointer(pointer, index), problems);
  };
}

/** An object with any member names, whose values all have one shape. */
export function record(member: ServerCheck): ServerCheck {
  return (value, pointer, problems) => {
    if (!isObject(value)) problems.push({ pointer, message: 'must be an object' });
    else for (const [name, element] of Object.entries(value)) member(element, joinPointer(pointer, name), problems);
  };
}

/** A check of objects with several shapes, which selects the shape by the object's `type`. */
export function byType(shapes: { readonly [type: string]: ServerCheck }): ServerCheck {
  const kind = object({ type: required(oneOf(Object.keys(shapes))) });
  return (value, pointer, problems) => {
    const type = getMember(value, 'type');
    const shape = typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type] : kind;
    shape?.(value, pointer, problems);
  };
}

export const anyObject: ServerCheck = object({});

export const flag: ServerCheck = (value, pointer, problems) => {
  if (typeof value !== 'boolean') problems.push({ pointer, message: 'must be true or false' });
};

export const text: ServerCheck = (value, pointer, problems) => {
  if (typeof value !== 'string') problems.push({ pointer, message: 'must be a string' });
};

/**
 * A string that satisfies a condition.
 *
 * @param claim the end of "must be …"
 */
export function textThat(claim: string, holds: (text: string) => boolean): ServerCheck {
  return (value, pointer, problems) => {
    if (typeof value !== 'string') problems.push({ pointer, message: 'must be a string' });
    else if (!holds(value)) problems.push({ pointer, message: `must be ${claim}` });
  };
}

/** Lengths in code points, as JSON Schema counts them. */
export function sizedText(shortest: number, longest: number): ServerCheck {
  return textThat(`a text of ${shortest} to ${longest} characters`, text => {
    // A string that is too long in UTF-16 units too need not be counted.
    const length = text.length > 2 * longest ? text.length : [...text].length;
    return length >= shortest && length <= longest;
  });
}

export function oneOf(words: readonly string[]): ServerCheck {
  return textThat(
    words
      .map(word => `"${word}"`)
      .join(', ')
      .replace(/, (?=[^,]*$)/, ' or '),
    text => words.includes(text),
  );
}

export const uri: ServerCheck = textThat(
  'a URI such as https://example.com/page',
  text => /^\S+$/.test(text) && URL.canParse(text),
);
