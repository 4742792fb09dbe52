import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { locateValue } from '../source/locate-finding.ts';
import type { SourceDocument } from '../source/source-document.ts';

/** The scope of a suppression. */
export type SuppressionScope =
  /** Findings that start on a line. */
  | { readonly type: 'line'; readonly file: string; readonly line: number }
  /** Findings that start on a line, or inside of a value that does. */
  | { readonly type: 'node'; readonly file: string; readonly line: number }
  | { readonly type: 'object'; readonly home: string; readonly object: ObjectRef };

/** Distinguishes objects with the same name: by construct, otherwise by file. */
export function getSourceIdentity({ file, program }: SourceDocument): string {
  return program?.constructPath ?? file;
}

/** Equal for equal scopes; ignores the object's version. */
export function formatScopeKey(scope: SuppressionScope): string {
  if (scope.type !== 'object') return JSON.stringify([scope.type, scope.file, scope.line]);
  const { kind, namespace, name } = scope.object;
  return JSON.stringify([scope.type, scope.home, kind, namespace, name]);
}

/** The scope of a finding's object. */
export function listObjectScopes({ file, constructPath, object }: Diagnostic): readonly SuppressionScope[] {
  return object === undefined ? [] : [{ type: 'object', home: constructPath ?? file, object }];
}

/**
 * The lines of a finding and of the values that contain it. For a program these include the calls that created the value, which may be in
 * several files.
 *
 * @param documents candidates for the finding's document
 */
export function listLineScopes(
  { file, range, pointer }: Diagnostic,
  documents: readonly SourceDocument[],
): readonly SuppressionScope[] {
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
  return [...new Map(scopes.map(scope => [formatScopeKey(scope), scope])).values()];
}

/** @see https://www.rfc-editor.org/rfc/rfc6901 */
function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
