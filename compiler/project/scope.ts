import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import type { SourceDocument } from '../source/source-document.ts';

/** What a suppression is about. */
export type Scope =
  /** What starts on a line. */
  | { readonly type: 'line'; readonly file: string; readonly line: number }
  /** What starts on a line, or is inside of what does. */
  | { readonly type: 'node'; readonly file: string; readonly line: number }
  | { readonly type: 'object'; readonly file: string; readonly object: ObjectRef };

/** Equal for equal scopes. The version of an object does not count. */
export function scopeKey(scope: Scope): string {
  if (scope.type !== 'object') return JSON.stringify([scope.type, scope.file, scope.line]);
  const { kind, namespace, name } = scope.object;
  return JSON.stringify([scope.type, scope.file, kind, namespace, name]);
}

/** The object that a finding is about, as a scope. */
export function objectScopes({ file, object }: Diagnostic): readonly Scope[] {
  return object === undefined ? [] : [{ type: 'object', file, object }];
}

/**
 * The lines of a file that a finding is on, or inside of a value of.
 *
 * @param documents that the finding may be about
 */
export function lineScopes(
  { file, range, pointer }: Diagnostic,
  documents: readonly SourceDocument[],
): readonly Scope[] {
  const { line } = range.start;
  const steps = stepsOf(pointer);
  const paths = Array.from({ length: steps.length + 1 }, (_, length) => steps.slice(0, length));
  const lines = documents.flatMap(document =>
    paths.map(path => document.locate(path, path.length === 0 ? 'value' : 'key').start.line),
  );
  return [
    { type: 'line', file, line },
    ...[...new Set([line, ...lines])].map(line => ({ type: 'node', file, line }) as const),
  ];
}

/** @see https://www.rfc-editor.org/rfc/rfc6901 */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
