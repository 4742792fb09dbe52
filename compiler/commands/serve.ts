import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Compilation } from '../compile.ts';
import { UsageError } from '../usage-error.ts';
import { writeBundles } from './build.ts';
import { compilePaths, type ProjectOptions, renderFindings, servingCodeOf } from './compile-paths.ts';
import { type ListenOptions, startRuntime, superviseRuntime } from './runtime-process.ts';

export interface ServeOptions extends ListenOptions, ProjectOptions {
  /** `name` or `namespace/name`, needed when the sources describe several gateways. */
  readonly gateway?: string;
}

/** Compiles specs and serves one gateway of them. Returns the exit code. */
export async function serve(paths: readonly string[], options: ServeOptions): Promise<number> {
  const compiled = compilePaths(paths, { purpose: 'build', config: options.config, catalog: options.catalog });
  if (compiled.compilation.findings.diagnostics.length > 0) {
    process.stderr.write(renderFindings(compiled, 'pretty', { stream: process.stderr }));
  }
  const exitCode = servingCodeOf(compiled.compilation);
  if (exitCode !== 0) return exitCode;
  const gateway = chooseGateway(compiled.compilation, options.gateway);
  const folder = await mkdtemp(join(tmpdir(), 'lintel-serve-'));
  try {
    await writeBundles(folder, compiled.compilation);
    return await superviseRuntime(startRuntime(folder, gateway, options, { watch: false }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The gateway to serve as `namespace/name`.
 *
 * @throws UsageError when there is none, or several and none was chosen
 */
export function chooseGateway({ gateways, registries }: Compilation, wanted: string | undefined): string {
  const names = gateways.map(({ object }) => `${object.namespace}/${object.name}`);
  const matching = names.filter(name => wanted === undefined || name === wanted || name.endsWith(`/${wanted}`));
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  if (names.length === 0 && registries.length > 0)
    throw new UsageError(
      'the sources describe a registry server, which this version checks and builds but cannot serve yet',
    );
  if (names.length === 0)
    throw new UsageError('the sources describe no VirtualMCPServer, so there is nothing to serve');
  const choice = `choose one with --gateway: ${names.join(', ')}`;
  throw new UsageError(
    only === undefined ? `no gateway is named "${wanted}"; ${choice}` : `several gateways: ${choice}`,
  );
}
