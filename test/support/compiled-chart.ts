import type { Chart } from 'cdk8s';
import { stringify } from 'yaml';
import { compile, createEvaluationContext, type Diagnostic, type GatewayModel, readTexts, SourceText } from '#compiler';
import { computeExposure } from '../../compiler/analysis/exposure/compute-exposure.ts';
import { EXPOSURE_RENDERERS } from '../../compiler/analysis/exposure/render/index.ts';
import { DEFAULT_LINT_OPTIONS } from '../../compiler/lint/index.ts';
import { CallerExposure } from '../../testing/index.ts';
import { createCatalog, type Offers } from './gateway-rule.ts';

export interface CompiledChart {
  readonly yaml: string;
  /** The findings with the strictest profile. */
  readonly diagnostics: readonly Diagnostic[];
  /** Errors and warnings as `LNT3001 the message`. */
  readonly findings: readonly string[];
  /** What `lintel exposure` prints about a gateway, in each of its formats. */
  exposures(gateway: string): readonly string[];
  /** The credential that a gateway sends to each backend, by the backend's name: the name of its header, or else the type of its plan. */
  credentials(gateway: string): Readonly<Record<string, string>>;
  /** The tools and other items that a caller reaches through a gateway. */
  caller(gateway: string, claims?: Readonly<Record<string, unknown>>): CallerExposure;
}

/** Compiles a chart with the real compiler and a tool lock from the test. */
export function compiled(chart: Chart, offers?: Offers): CompiledChart {
  const yaml = chart
    .toJson()
    .map(object => stringify(object))
    .join('---\n');
  const compilation = compile(readTexts([new SourceText('chart.yaml', yaml)]), {
    purpose: 'language',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
    catalog: offers && createCatalog(offers),
    project: { ...DEFAULT_LINT_OPTIONS, profile: { name: 'strict', version: '2026.1' } },
  });
  const { diagnostics } = compilation.findings;
  const modelOf = (name: string): GatewayModel => {
    const model = compilation.gateways.find(({ object }) => object.name === name)?.model();
    if (model === null || model === undefined) throw new Error(`no model of ${name}: ${JSON.stringify(diagnostics)}`);
    return model;
  };
  return {
    yaml,
    diagnostics,
    findings: diagnostics.flatMap(({ code, severity, message }) => (severity === 'hint' ? [] : [`${code} ${message}`])),
    exposures: gateway => {
      const report = { gateways: [computeExposure(modelOf(gateway))], registries: [] };
      return Object.values(EXPOSURE_RENDERERS).map(render => render(report, { color: false }));
    },
    credentials: gateway =>
      Object.fromEntries(
        modelOf(gateway).backends.map(({ plan: { name, auth } }) => [name, 'header' in auth ? auth.header : auth.type]),
      ),
    caller: (gateway, claims) =>
      new CallerExposure(gateway, modelOf(gateway), claims && { sub: 'someone', ...claims }, createEvaluationContext()),
  };
}
