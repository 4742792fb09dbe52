import type { Diagnostic as LspDiagnostic } from 'vscode-languageserver';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listHeaviest } from '../diagnostics/report.ts';
import { findCodePage } from '../explain/pages.ts';
import { resolveSiteAddress } from '../explain/site-pages.ts';
import type { ConfigurationError } from '../project/index.ts';
import type { SourceText } from '../source/source-text.ts';
import type { CompiledProject, EditedProject } from './edited-project.ts';
import { toLspRange, toUri } from './positions.ts';
import { SEVERITY } from './protocol.ts';

/** Maximum number of findings sent per file: editors slow down long before the limit of reports. */
const MAX_FINDINGS_PER_FILE = 1_000;

/** The diagnostics of a file, and everything that they were made from. */
export interface FileDiagnostics {
  readonly absolute: string;
  readonly diagnostics: readonly LspDiagnostic[];
  readonly findings: readonly Diagnostic[];
  readonly site: string | undefined;
  /** The texts with which ranges were converted, by displayed path: those of the file and of related locations. */
  readonly texts: ReadonlyMap<string, SourceText | undefined>;
}

/** By the paths that findings show. */
export type DiagnosticsByFile = ReadonlyMap<string, FileDiagnostics>;

/**
 * A project's findings as LSP diagnostics. A file whose findings and texts have not changed keeps its entry.
 * @param before the entries of the previous call
 */
export function collectDiagnostics(project: EditedProject, before: DiagnosticsByFile): DiagnosticsByFile {
  const compiled = project.getCompiled();
  return convertAll(project, project.listFindings(), compiled, compiled.project.documentation, before);
}

/** The mistakes of a configuration; the project is not checked then. */
export function toConfigurationDiagnostics(
  project: EditedProject,
  { diagnostics, texts }: ConfigurationError,
): DiagnosticsByFile {
  const findText = (file: string) => texts.find(text => text.file === file);
  return convertAll(project, diagnostics, { findText }, undefined, new Map());
}

function convertAll(
  project: EditedProject,
  found: readonly Diagnostic[],
  { findText }: Texts,
  documentation: string | undefined,
  before: DiagnosticsByFile,
): DiagnosticsByFile {
  const site = resolveSiteAddress(documentation);
  const converted = [...Map.groupBy(found, ({ file }) => file)].map(([file, all]): [string, FileDiagnostics] => {
    const findings = listHeaviest(all, MAX_FINDINGS_PER_FILE);
    const known = before.get(file);
    if (known !== undefined && isCurrent(known, findings, site, findText)) return [file, known];
    const texts = new Map<string, SourceText | undefined>();
    const findAndRecord = (path: string) => {
      const text = findText(path);
      texts.set(path, text);
      return text;
    };
    const diagnostics = findings.map(finding => toLspDiagnostic(finding, project, { findText: findAndRecord }, site));
    return [file, { absolute: project.toAbsolutePath(file), diagnostics, findings, site, texts }];
  });
  return new Map(converted);
}

/** Compares by identity: the compiler returns the same finding and the same text again while they do not change. */
function isCurrent(
  known: FileDiagnostics,
  findings: readonly Diagnostic[],
  site: string | undefined,
  findText: Texts['findText'],
): boolean {
  return (
    known.site === site &&
    known.findings.length === findings.length &&
    known.findings.every((finding, index) => finding === findings[index]) &&
    [...known.texts].every(([file, text]) => findText(file) === text)
  );
}

type Texts = Pick<CompiledProject, 'findText'>;

/** @param site the address of the documentation site */
export function toLspDiagnostic(
  found: Diagnostic,
  project: EditedProject,
  texts: Texts,
  site: string | undefined,
): LspDiagnostic {
  const { code, name, severity, message, file, range, related = [] } = found;
  const advice = found.fix ?? found.help;
  const href = findCodePage(code, site);
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
