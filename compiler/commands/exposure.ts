import { EXPOSURE_RENDERERS, type ExposureFormat } from '../analysis/exposure/render/index.ts';
import type { ExposureReport } from '../analysis/exposure/render/rendering.ts';
import type { Compilation } from '../compile/compilation.ts';
import { UsageError } from '../usage-error.ts';
import { formatSources } from './choose-gateways.ts';
import { chooseObjects, formatObjectName } from './choose-objects.ts';
import { chooseExitCode, compilePaths, describeTerminal, type ProjectOptions, printErrors } from './compile-paths.ts';
import { writeOutput } from './outputs.ts';

export interface ExposureOptions extends ProjectOptions {
  readonly format: ExposureFormat;
  /** Undefined for standard output. */
  readonly output: string | undefined;
  /** The gateway, as `name` or `namespace/name`; default: all gateways, unless a registry server is given. */
  readonly gateway: string | undefined;
  /** The registry server, as `name` or `namespace/name`; default: all registry servers, unless a gateway is given. */
  readonly registry: string | undefined;
}

/**
 * Prints which callers can reach which items. Standard output has only the data; errors go to standard error, because objects with errors
 * are missing from the data. `check` reports other findings. Returns the exit code of `check`.
 */
export async function exposure(paths: readonly string[], options: ExposureOptions): Promise<number> {
  const { format, output } = options;
  const compiled = await compilePaths(paths, { ...options, purpose: 'language' });
  const { compilation } = compiled;
  // Errors come first: they may explain why there is nothing to show.
  if (compilation.findings.counts.error > 0) printErrors(compiled);
  const { report, missing } = chooseExposures(compilation, options);
  for (const name of missing) {
    process.stderr.write(`lintel: ${name} is not shown: it has errors, so what it would expose is not known\n`);
  }
  const render = EXPOSURE_RENDERERS[format];
  const isEmpty = report.gateways.length === 0 && report.registries.length === 0;
  if (output !== undefined) await writeOutput(output, render(report, { color: false }));
  else if (!isEmpty || format === 'json') process.stdout.write(render(report, describeTerminal(process.stdout)));
  const code = chooseExitCode(compilation, 'error');
  // An error that the project suppresses still prevents a gateway from being shown.
  return code === 0 && missing.length > 0 ? 1 : code;
}

/** @throws UsageError when there is nothing to show, or nothing of the given name */
function chooseExposures(
  compilation: Compilation,
  { gateway, registry }: Pick<ExposureOptions, 'gateway' | 'registry'>,
): { readonly report: ExposureReport; readonly missing: readonly string[] } {
  const { registries } = compilation;
  // An MCPServer or MCPRemoteProxy has an address of its own in the cluster, which callers reach without any gateway.
  const gateways = [...compilation.gateways, ...compilation.servers];
  if (gateways.length === 0 && registries.length === 0)
    throw new UsageError(
      `${formatSources(compilation.checked)} no VirtualMCPServer, no server of a cluster and no registry server, so nothing is exposed`,
    );
  const isAsked = (own: string | undefined, other: string | undefined) => own !== undefined || other === undefined;
  const chosenGateways = isAsked(gateway, registry) ? chooseObjects(gateways, gateway, 'gateway') : [];
  const chosenRegistries = isAsked(registry, gateway) ? chooseObjects(registries, registry, 'registry server') : [];
  return {
    report: { gateways: listExposures(chosenGateways), registries: listExposures(chosenRegistries) },
    missing: [...chosenGateways, ...chosenRegistries].filter(one => one.exposure() === null).map(formatObjectName),
  };
}

function listExposures<E>(all: readonly { readonly exposure: () => E | null }[]): readonly E[] {
  return all.map(({ exposure }) => exposure()).filter(exposure => exposure !== null);
}
