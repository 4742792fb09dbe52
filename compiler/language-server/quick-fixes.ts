import type { CodeAction, Range as LspRange } from 'vscode-languageserver';
import { parseFix } from '../diagnostics/edits.ts';
import { resolveSiteAddress } from '../explain/site-pages.ts';
import type { SourceText } from '../source/source-text.ts';
import { toLspDiagnostic } from './diagnostics.ts';
import type { EditedProject } from './edited-project.ts';
import { toLspRange, toOffset } from './positions.ts';

/** Quick fixes of the findings in a range, for fixes that replace one word. */
export function findQuickFixes(
  project: EditedProject,
  source: SourceText,
  uri: string,
  { start, end }: LspRange,
): CodeAction[] {
  const compiled = project.getCompiled();
  const site = resolveSiteAddress(compiled.project.documentation);
  const [from, to] = [toOffset(source, start), toOffset(source, end)];
  return project
    .listFindings()
    .filter(({ file, range }) => file === source.file && range.start.offset <= to && from <= range.end.offset)
    .flatMap(found => {
      const { range } = found;
      const fix = parseFix(found, source.text.slice(range.start.offset, range.end.offset));
      if (fix === undefined) return [];
      const edit = { range: toLspRange(source, fix.edit.range), newText: fix.edit.text };
      return [
        {
          title: fix.title,
          kind: 'quickfix',
          isPreferred: true,
          diagnostics: [toLspDiagnostic(found, project, compiled, site)],
          edit: { changes: { [uri]: [edit] } },
        },
      ];
    });
}
