import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Compilation } from '../compile/compilation.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { formatAdvice } from '../diagnostics/render/rendering.ts';
import type { Severity } from '../diagnostics/severity.ts';
import { SEVERITY_RANK } from '../lint/index.ts';
import { ConfigurationError, compileTexts, loadProject } from '../project/index.ts';
import { SourceText } from '../source/source-text.ts';
import type { ValidationContext } from './context.ts';
import { formatResourceNames } from './resource-names.ts';
import { checkProperties, type LintelValidationProperties } from './settings.ts';

/**
 * The validation plugin for `cdk8s synth`: reports the findings of `lintel check` in the manifests, with the same codes and with the same
 * `lintel.yaml` and `lintel.lock.json`, which are searched from the folder of `cdk8s.yaml`.
 *
 * @example validations:
 * - package: ./node_modules/lintel version: 0.1.0 class: LintelValidation properties: failOn: warning
 *
 * @see https://cdk8s.io/docs/latest/cli/validation/
 */
export class LintelValidation {
  readonly #properties: LintelValidationProperties;

  /** @throws Error for unknown properties */
  constructor(properties: LintelValidationProperties = {}) {
    this.#properties = checkProperties({ ...properties });
  }

  /**
   * cdk8s calls this method with the synthesized manifests.
   *
   * @throws Error for an invalid configuration, and for a named tool lock that is missing
   */
  async validate({ manifests, report, stdout = false }: ValidationContext): Promise<void> {
    const cwd = process.cwd();
    const project = this.#loadProject(cwd);
    const paths = new Map(manifests.map(file => [stdout ? file : relative(cwd, file).replaceAll(sep, '/'), file]));
    const texts = [...paths].map(([shown, file]) => new SourceText(shown, readFileSync(file, 'utf8')));
    const { catalog, languageOnly = false } = this.#properties;
    const purpose = languageOnly ? 'language' : 'check';
    const { compilation } = compileTexts(texts, project, { cwd, purpose, sourceRevision: null, catalog });
    const { findings } = compilation;
    const toName = formatResourceNames(texts);
    for (const found of findings.all) {
      report.addViolation({
        ruleName: `${found.severity}[${found.code}] ${found.name}`,
        recommendation: found.message,
        fix: formatAdvice(found) ?? `see \`lintel explain ${found.code}\``,
        violatingResources: [
          {
            resourceName: toName(found),
            locations: [formatLocation(found)],
            manifestPath: paths.get(found.file) ?? found.file,
          },
        ],
      });
    }
    const { failOn = project.failOn } = this.#properties;
    report.submit(isFailed(compilation, failOn) ? 'failure' : 'success', {
      Findings: `${findings.counts.error} errors, ${findings.counts.warning} warnings, ${findings.counts.hint} hints`,
      'Fails on': failOn,
    });
  }

  #loadProject(cwd: string) {
    try {
      return loadProject(this.#properties.config, cwd);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const mistakes = error.diagnostics.map(found => `${found.code}: ${found.message}`);
      throw new Error(`${error.message}: ${mistakes.join('; ')}`);
    }
  }
}

/** An incomplete check is not a success. */
function isFailed({ findings: { counts }, checked }: Compilation, failOn: Severity): boolean {
  const severities = Object.keys(SEVERITY_RANK) as Severity[];
  return (
    !checked.complete ||
    severities.some(severity => counts[severity] > 0 && SEVERITY_RANK[severity] >= SEVERITY_RANK[failOn])
  );
}

/** The location in the manifest: the path in the object, and line and column for editors. */
function formatLocation({ pointer, range: { start } }: Diagnostic): string {
  return `${pointer === '' ? '/' : pointer} (${start.line}:${start.column})`;
}
