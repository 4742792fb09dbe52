import type { Diagnostic as LspDiagnostic } from 'vscode-languageserver';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listHeaviest } from '../diagnostics/report.ts';
import { findCodePage } from '../explain/pages.ts';
import { resolveSiteAddress } from '../explain/site-pages.ts';
import type { ConfigurationError } from '../project/index.ts';
import type { CompiledProject, EditedProject } from './edited-project.ts';
import { toLspRange, toUri } from './positions.ts';
import { SEVERITY } from './protocol.ts';

/** Maximum number of findings sent per file: editors slow down long before the limit of reports. */
const MAX_FINDINGS_PER_FILE = 1_000;

/** A project's findings as LSP diagnostics, by absolute path. */
export function collectDiagnostics(project: EditedProject): ReadonlyMap<string, readonly LspDiagnostic[]> {
  const compiled = project.getCompiled();
  const byFile = Map.groupBy(project.listFindings(), ({ file }) => file);
  return new Map(
    [...byFile].map(([file, found]) => [
      project.toAbsolutePath(file),
      listHeaviest(found, MAX_FINDINGS_PER_FILE).map(diagnostic => toLspDiagnostic(diagnostic, project, compiled)),
    ]),
  );
}

/** The mistakes of a configuration; the project is not checked then. */
export function toConfigurationDiagnostics(
  project: EditedProject,
  { diagnostics, texts }: ConfigurationError,
): ReadonlyMap<string, readonly LspDiagnostic[]> {
  const byFile = Map.groupBy(diagnostics, ({ file }) => file);
  const findText = (file: string) => texts.find(text => text.file === file);
  return new Map(
    [...byFile].map(([file, found]) => [
      project.toAbsolutePath(file),
      found.map(diagnostic => toLspDiagnostic(diagnostic, project, { findText: findText })),
    ]),
  );
}

/** The texts of a project, with the project itself unless its configuration is invalid. */
type Texts = Pick<CompiledProject, 'findText'> & Partial<Pick<CompiledProject, 'project'>>;

export function toLspDiagnostic(found: Diagnostic, project: EditedProject, texts: Texts): LspDiagnostic {
  const { code, name, severity, message, file, range, related = [] } = found;
  const advice = found.fix ?? found.help;
  const href = findCodePage(code, resolveSiteAddress(texts.project?.documentation));
  return {
    range: toRange(texts, file, range),
    severity: SEVERITY[severity],
    code,
    ...(href !== undefined && { codeDescription: { href } }),
    source: 'lintel',
    message: `${message}${advice === undefined ? '' : `\n${found.fix === undefined ? 'help' : 'fix'}: ${advice}`}\n(${name})`,
    ...(related.length > 0 && {
      relatedInformation: related.map(location => ({
        message: location.message,
        location: {
          uri: toUri(project.toAbsolutePath(location.file)),
          range: toRange(texts, location.file, location.range),
        },
      })),
    }),
  };
}

function toRange(texts: Texts, file: string, range: Diagnostic['range']) {
  const source = texts.findText(file);
  // The file of the finding may be unreadable. Then the finding is shown at its start.
  if (source === undefined) return { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  return toLspRange(source, range);
}
