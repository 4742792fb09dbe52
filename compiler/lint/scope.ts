import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { locateValue } from '../source/locate-finding.ts';
import type { SourceDocument } from '../source/source-document.ts';

/** What a suppression is about. */
export type Scope =
  /** What starts on a line. */
  | { readonly type: 'line'; readonly file: string; readonly line: number }
  /** What starts on a line, or is inside of what does. */
  | { readonly type: 'node'; readonly file: string; readonly line: number }
  | { readonly type: 'object'; readonly home: string; readonly object: ObjectRef };

/** What tells an object from another of the same name: its construct, or else its file. */
export function getSourceIdentity({ file, program }: SourceDocument): string {
  return program?.constructPath ?? file;
}

/** Equal for equal scopes. The version of an object does not count. */
export function scopeKey(scope: Scope): string {
  if (scope.type !== 'object') return JSON.stringify([scope.type, scope.file, scope.line]);
  const { kind, namespace, name } = scope.object;
  return JSON.stringify([scope.type, scope.home, kind, namespace, name]);
}

/** The object that a finding is about, as a scope. */
export function objectScopes({ file, constructPath, object }: Diagnostic): readonly Scope[] {
  return object === undefined ? [] : [{ type: 'object', home: constructPath ?? file, object }];
}

/**
 * The lines that a finding is on, or inside of a value of. In a program these are also the lines of the calls that led to
 * the value, which may be in several files.
 *
 * @param documents that the finding may be about
 */
export function lineScopes(
  { file, range, pointer }: Diagnostic,
  documents: readonly SourceDocument[],
): readonly Scope[] {
  const { line } = range.start;
  const steps = parsePointer(pointer);
  const paths = Array.from({ length: steps.length + 1 }, (_, length) => steps.slice(0, length));
  const nodes = documents.flatMap(document =>
    paths.flatMap(path => {
      const { file, range } = locateValue(document, path, path.length === 0 ? 'value' : 'key');
      const calls = document.program?.calls(path) ?? [];
      return [
        { file, line: range.start.line },
        ...calls.map(call => ({ file: call.source.file, line: call.range.start.line })),
      ];
    }),
  );
  const scopes = [
    { type: 'line', file, line },
    ...[{ file, line }, ...nodes].map(node => ({ type: 'node', ...node }) as const),
  ] as const;
  return [...new Map(scopes.map(scope => [scopeKey(scope), scope])).values()];
}

/** @see https://www.rfc-editor.org/rfc/rfc6901 */
function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
