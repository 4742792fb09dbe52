import type { Chart } from 'cdk8s';
import { stringify } from 'yaml';
import { type Compilation, compile, readTexts, SourceText } from '#compiler';
import { computeDigest, formatCanonicalJson } from '#schemas';
import { DEFAULT_LINT_OPTIONS } from '../../compiler/lint/index.ts';

/** Compiles a text as `lintel build` does, with the strictest profile. */
export function compiledYaml(text: string, purpose: 'language' | 'check' | 'build' = 'language'): Compilation {
  return compile(readTexts([new SourceText('specs.yaml', text)]), {
    purpose,
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
    project: { ...DEFAULT_LINT_OPTIONS, profile: { name: 'strict', version: '2026.1' } },
  });
}

/** The objects of a chart as `cdk8s synth` writes them. */
export function formatChart(chart: Chart): string {
  return chart
    .toJson()
    .map(object => stringify(object))
    .join('---\n');
}

/** Errors and warnings as `LNT3001 the message`. */
export function seriousIn({ findings }: Compilation): string[] {
  return findings.diagnostics.flatMap(({ code, severity, message }) =>
    severity === 'hint' ? [] : [`${code} ${message}`],
  );
}

export function digestOfBundle(bundle: object | null | undefined): string {
  if (bundle === null || bundle === undefined) throw new Error('there is no bundle');
  return computeDigest(formatCanonicalJson(bundle));
}
