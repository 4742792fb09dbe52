/** Compiles a text, and checks what must hold for the result whatever the text is. */
import { expect } from 'vitest';
import { type Compilation, compile, type Position, readTexts, renderJson, type Sources, SourceText } from '#compiler';
import { measureCpuMs } from '../../support/cpu-time.ts';

/** Most processor time for one case, milliseconds: it distinguishes unbounded growth from a slow result. */
const MAX_CASE_MS = 20_000;

export interface Compiled {
  readonly sources: Sources;
  readonly compilation: Compilation;
  /** The findings in the form of `--format json`. */
  readonly json: string;
}

export function compileSources(sources: Sources): Compiled {
  const origin = { compilerVersion: 'test', sourceRevision: null };
  const compilation = compile(sources, { purpose: 'check', origin });
  const json = renderJson(compilation.findings, compilation.checked, { name: 'lintel', version: 'test' });
  return { sources, compilation, json };
}

/** @param file its extension decides how the text is parsed: `.json` means JSON */
export function compileText(text: string, file = 'a.yaml'): Compiled {
  return compileSources(readTexts([new SourceText(file, text)]));
}

/** The codes of the findings without duplicates, in the order of the report. */
export function listCodes({ compilation }: Compiled): string[] {
  return [...new Set(compilation.findings.diagnostics.map(({ code }) => code))];
}

/** Runs `act` and expects it to take at most this much processor time; milliseconds. */
export function inTime<T>(act: () => T, most: number = MAX_CASE_MS): T {
  const results: T[] = [];
  expect(measureCpuMs(() => results.push(act()))).toBeLessThan(most);
  return results[0] as T;
}

/** Throws unless every finding and every related location is inside its text, and every pointer resolves. */
export function expectSound({ sources, compilation }: Compiled): void {
  const documents = sources.documents.map(({ file, value }) => ({ file, value }));
  for (const found of compilation.findings.diagnostics) {
    const what = `${found.code} ${found.file} ${found.pointer} ${found.message}`;
    for (const place of [found, ...(found.related ?? [])]) {
      const { start, end } = place.range;
      const source = sources.texts.get(place.file);
      // A file that could not be decoded has no text.
      if (source === undefined) continue;
      if (start.offset > end.offset || end.offset > source.text.length) throw new Error(`outside of its text: ${what}`);
      const isSame = samePlace(source.position(start.offset), start) && samePlace(source.position(end.offset), end);
      if (!isSame) throw new Error(`line and column are not those of the offset: ${what}`);
    }
    // A file that could not be parsed has no value for pointers.
    const readable = documents.filter(({ file }) => file === found.file);
    const mine = found.object === undefined ? readable : readable.filter(({ value }) => isObject(value, found.object));
    const leads = mine.some(({ value }) => leadsSomewhere(value, found.pointer));
    if (!leads && found.object !== undefined) throw new Error(`points nowhere: ${what}`);
  }
}

function samePlace(a: Position, b: Position): boolean {
  return a.line === b.line && a.column === b.column && a.offset === b.offset;
}

function isObject(value: unknown, object: { readonly kind: string; readonly name: string } | undefined): boolean {
  // A configuration has no kind or name.
  if (object?.kind === 'RegistryConfig') return !Object.hasOwn(value as object, 'kind');
  const { kind, metadata } = value as { kind?: unknown; metadata?: { name?: unknown } | null };
  return kind === object?.kind && (metadata?.name ?? '') === object?.name;
}

/** Whether the pointer, or its parent, resolves to a value. */
function leadsSomewhere(value: unknown, pointer: string): boolean {
  const steps = pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let at = value;
  // A finding about a missing field of an optional spec may point into the absent spec.
  if (steps[0] === 'spec' && !Object.hasOwn(value as object, 'spec')) return true;
  for (const step of steps.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return true;
}
