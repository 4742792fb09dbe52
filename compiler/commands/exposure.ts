import type { Compilation } from '../compile.ts';
import type { Exposure } from '../exposure/exposure.ts';
import { EXPOSURE_RENDERERS, type ExposureFormat } from '../exposure/render/index.ts';
import { UsageError } from '../usage-error.ts';
import {
  compilePaths,
  exitCodeOf,
  onlyErrors,
  type ProjectOptions,
  renderFindings,
  terminalOf,
} from './compile-paths.ts';
import { writeOutput } from './outputs.ts';

export interface ExposureOptions extends ProjectOptions {
  readonly format: ExposureFormat;
  /** Undefined for standard output. */
  readonly output: string | undefined;
  /** `name` or `namespace/name`; all gateways when not given. */
  readonly gateway: string | undefined;
}

/**
 * Tells who can reach what. Standard output holds the data and nothing else; errors go to standard error, because a
 * gateway that has any is missing. Other findings are for `check`. Returns the exit code of `check`.
 */
export async function exposure(paths: readonly string[], options: ExposureOptions): Promise<number> {
  const { format, output, gateway, config, catalog } = options;
  const compiled = compilePaths(paths, { purpose: 'check', config, catalog });
  const { compilation } = compiled;
  const { shown, missing } = exposuresOf(compilation, gateway);
  if (compilation.findings.counts.error > 0) {
    process.stderr.write(renderFindings(onlyErrors(compiled), 'pretty', { stream: process.stderr }));
    process.stderr.write('\n');
  }
  for (const name of missing) {
    process.stderr.write(`lintel: ${name} is not shown: it has errors, so what it would expose is not known\n`);
  }
  const render = EXPOSURE_RENDERERS[format];
  if (output !== undefined) await writeOutput(output, render(shown, { color: false }));
  else if (shown.length > 0 || format === 'json') process.stdout.write(render(shown, terminalOf(process.stdout)));
  const code = exitCodeOf(compilation, 'error');
  // An error that the project suppresses keeps a gateway from being shown all the same.
  return code === 0 && missing.length > 0 ? 1 : code;
}

/** @throws UsageError when there is no gateway, or none of that name */
function exposuresOf({ gateways }: Compilation, wanted: string | undefined) {
  const named = gateways.map(gateway => ({ gateway, name: `${gateway.object.namespace}/${gateway.object.name}` }));
  if (named.length === 0) throw new UsageError('the sources describe no VirtualMCPServer, so nothing is exposed');
  const chosen = named.filter(({ name }) => wanted === undefined || name === wanted || name.endsWith(`/${wanted}`));
  if (chosen.length === 0) {
    throw new UsageError(`no gateway is named "${wanted}"; there are: ${named.map(({ name }) => name).join(', ')}`);
  }
  const shown: Exposure[] = [];
  const missing: string[] = [];
  for (const { gateway, name } of chosen) {
    const exposure = gateway.exposure();
    if (exposure === null) missing.push(name);
    else shown.push(exposure);
  }
  return { shown, missing };
}
