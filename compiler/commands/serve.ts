import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithNpm } from '#shared/util';
import { UsageError } from '../usage-error.ts';
import { writeBundles } from './build.ts';
import { type BundleSelection, chooseBundle, listBackends } from './choose-bundle.ts';
import { chooseServingExitCode, compilePaths, type ProjectOptions, renderFindings } from './compile-paths.ts';
import { type DenialOptions, parseDenial } from './denial.ts';
import { listAbsentServers } from './serving/absent-servers.ts';
import { BridgeProcess, buildBridgeConfig } from './serving/bridge-process.ts';
import {
  isLogText,
  type ListenOptions,
  listensForPerson,
  startRuntime,
  superviseRuntime,
} from './serving/runtime-process.ts';
import { withoutVerifiedSecrets } from './serving/verified-secrets.ts';

export interface ServeOptions extends ListenOptions, DenialOptions, ProjectOptions, BundleSelection {}

/** Compiles specs and serves one gateway or registry server of them. Returns the exit code. */
export async function serve(paths: readonly string[], options: ServeOptions): Promise<number> {
  using _npm = endWithNpm();
  const option = parseDenial(options);
  const compiled = await compilePaths(paths, { ...options, purpose: 'build', denial: option });
  const denial = option ?? compiled.project.denial;
  const shown = withoutVerifiedSecrets(compiled);
  if (shown.compilation.findings.diagnostics.length > 0) {
    process.stderr.write(renderFindings(shown, 'pretty', { stream: process.stderr }));
  }
  const exitCode = chooseServingExitCode(compiled.compilation);
  if (exitCode !== 0) return exitCode;
  const chosen = chooseBundle(compiled.compilation, options);
  const absent = listAbsentServers(compiled.compilation, chosen, options.dotenv);
  if (absent.needed.length > 0) throw new UsageError(absent.texts.join('\nlintel: '));
  if (!listensForPerson()) for (const text of absent.texts) process.stderr.write(`lintel: ${text}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'lintel-serve-'));
  const bridge = await BridgeProcess.prepare(isLogText(options) ? 'text' : 'json');
  try {
    await bridge.use(buildBridgeConfig(listBackends(compiled.compilation, chosen)));
    await writeBundles(folder, compiled.compilation);
    const runtime = startRuntime(folder, chosen, options, { watch: false, denial, bridge: bridge.address, absent });
    return await superviseRuntime(runtime, bridge);
  } finally {
    await bridge.close();
    await rm(folder, { recursive: true, force: true });
  }
}
