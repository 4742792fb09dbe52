import type { RegistrySource } from '#schemas';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';

/**
 * Reports filters without effect: exclusion takes precedence, and name patterns only support `*`.
 *
 * @holds Registry server | `filter.names` | patterns that a name can match | LNT8018
 * @holds Registry server | `filter` | no pattern is both included and excluded | LNT8019
 */
export function sourceFilters({ document, config }: RegistryDocument): Diagnostic[] {
  return config.sources.flatMap(({ filter }, index) => {
    const path = ['sources', index, 'filter'];
    return [
      ...listPatterns(filter).map(([at, text]) =>
        diagnose(
          document,
          'LNT8018',
          [...path, ...at],
          `${JSON.stringify(text)} has a character that no name has; the only wildcard is "*"`,
        ),
      ),
      ...(['names', 'tags'] as const).flatMap(list => {
        const { include = [], exclude = [] } = filter?.[list] ?? {};
        const isOut = (text: string) =>
          exclude.some(other => other === text || (list === 'names' && fits(text, other)));
        return include.flatMap((text, at) =>
          isOut(text)
            ? [
                diagnose(
                  document,
                  'LNT8019',
                  [...path, list, 'include', at],
                  `${JSON.stringify(text)} is excluded as well`,
                ),
              ]
            : [],
        );
      }),
    ];
  });
}

/** Name patterns with characters that no server name has, such as those of other pattern languages. */
function listPatterns(filter: RegistrySource['filter']): [Path, string][] {
  return (['include', 'exclude'] as const).flatMap(side =>
    (filter?.names?.[side] ?? []).flatMap((text, at): [Path, string][] =>
      /^[A-Za-z0-9._/*-]*$/.test(text) ? [] : [[['names', side, at], text]],
    ),
  );
}

/** Whether everything that `text` can match also matches the pattern. A "*" in the text counts as a name. */
function fits(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
