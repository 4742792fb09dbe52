/** Names in generated TypeScript: whatever a backend calls its tools and fields, an identifier or a quoted text comes out. */
import { printable } from '../../../diagnostics/render/printable.ts';

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
/** Longer names do not help. */
const MAX_NAME = 80;

/** `list_issues` to `ListIssues`; empty when nothing of the text can stand in an identifier. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(word => word !== '');
  return words
    .map(word => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('')
    .slice(0, MAX_NAME);
}

/** A text as a literal, in which a reader sees the same code as the compiler. */
export function textLiteral(text: string): string {
  // Its escapes are those of TypeScript too.
  return printable(JSON.stringify(text));
}

/** The name of a member of a type. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : textLiteral(name);
}

/** The name of a member of an object literal, where `__proto__` would set the prototype. */
export function keyName(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : memberName(name);
}

/** Whether every object has such a member, of which TypeScript asks that it be what it always is. */
export function isInherited(name: string): boolean {
  return name in {};
}

/** Gives every name once: `Labels`, `Labels2`. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    const base = /^[A-Z]/.test(wanted) ? wanted : `_${wanted}`;
    let name = base;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${base}${count}`;
    this.#taken.add(name);
    return name;
  }
}
