/** Compiles constructs as `lintel check` compiles their manifests. */
import { stringify } from 'yaml';
import {
  type Compilation,
  ConfigurationError,
  compileTexts,
  findLine,
  loadProject,
  renderPretty,
  SourceText,
} from '#compiler';

/** The input of the helpers: a chart, an app with charts, or several of them; anything that cdk8s can synthesize. */
export type Synthesizable = ChartLike | AppLike | readonly ChartLike[];

/** A `Chart` from any copy of the cdk8s package. */
export interface ChartLike {
  readonly node: { readonly id: string };
  toJson(): unknown[];
}

/** An `App` from any copy of the cdk8s package. */
export interface AppLike {
  readonly charts: readonly ChartLike[];
}

/** The project that the specs belong to. */
export interface CompileSettings {
  /** The folder from which the search for `lintel.yaml` and `lintel.lock.json` goes upwards; the working directory when not given. */
  readonly cwd?: string;
  /** Path of the tool lock to use instead; `false` for none. */
  readonly catalog?: string | false;
  /** Path of the configuration to use instead; `false` for none. */
  readonly config?: string | false;
}

/** @throws Error with every finding that is an error: otherwise a test would examine a gateway that cannot be deployed */
export function compileChart(source: Synthesizable, settings: CompileSettings = {}): Compilation {
  const cwd = settings.cwd ?? process.cwd();
  const texts = listCharts(source).map(
    chart =>
      new SourceText(
        `${chart.node.id}.k8s.yaml`,
        chart
          .toJson()
          .map(object => stringify(object))
          .join('---\n'),
      ),
  );
  const options = { cwd, purpose: 'language', sourceRevision: null, catalog: settings.catalog } as const;
  const { compilation, sources } = compileTexts(texts, readProject(settings, cwd), options);
  if (compilation.findings.counts.error === 0) return compilation;
  const errors = compilation.findings.diagnostics.filter(({ severity }) => severity === 'error');
  const counts = { error: errors.length, warning: 0, hint: 0 };
  const findings = { ...compilation.findings, diagnostics: errors, counts };
  throw new Error(
    `the specs have errors\n\n${renderPretty(findings, (file, line) => findLine(sources, file, line), { color: false })}`,
  );
}

function listCharts(source: Synthesizable): readonly ChartLike[] {
  if ('charts' in source) return source.charts;
  return 'toJson' in source ? [source] : source;
}

/** @throws Error for an invalid configuration */
function readProject({ config }: CompileSettings, cwd: string) {
  try {
    return loadProject(config, cwd);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Error(`${error.message}: ${error.diagnostics.map(({ message }) => message).join('; ')}`);
  }
}
