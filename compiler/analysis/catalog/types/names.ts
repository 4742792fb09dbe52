/** Names in generated TypeScript: any name of a tool or field becomes an identifier or a quoted string. */
import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
/** Maximum length of a name in generated types: longer names do not help readers. */
const MAX_NAME = 80;

/** `list_issues` becomes `ListIssues`; empty when no character is valid in an identifier. */
export function toPascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(word => word !== '');
  return words
    .map(word => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('')
    .slice(0, MAX_NAME);
}

/** A string literal that looks the same to a reader and to the compiler. */
export function formatTextLiteral(text: string): string {
  // JSON escapes are also valid in TypeScript.
  return escapeUnprintable(JSON.stringify(text));
}

/** The name of a member of a type. */
export function formatMemberName(name: string): string {
  return IDENTIFIER.test(name) ? name : formatTextLiteral(name);
}

/** The key of an object literal. `__proto__` is computed, since a plain one would set the prototype. */
export function formatKeyName(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : formatMemberName(name);
}

/** Whether every object inherits a member of this name. TypeScript then requires the type of the inherited member. */
export function isInherited(name: string): boolean {
  return name in {};
}

/** Makes names unique: `Labels`, `Labels2`. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  take(preferred: string): string {
    const base = /^[A-Z]/.test(preferred) ? preferred : `_${preferred}`;
    let name = base;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${base}${count}`;
    this.#taken.add(name);
    return name;
  }
}
