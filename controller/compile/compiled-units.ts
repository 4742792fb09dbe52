/** Converts a compilation's gateways, servers and registry servers to `CompiledUnit`s, with which all later steps work. */
import { isDeepStrictEqual } from 'node:util';
import {
  type Compilation,
  type CompiledGateway,
  type CompiledRegistry,
  EXPOSURE_FILE,
  generateManifests,
  listBundleFiles,
  listEntries,
  type ManifestSettings,
} from '#compiler';
import { BUNDLE_FILE, compareText } from '#schemas';
import { CompilationIndex } from './compilation-index.ts';
import { computeConfigHashes } from './config-hashes.ts';
import { countExposedTools } from './exposed-tools.ts';
import { listGravest, toFoundDiagnostics } from './findings.ts';
import type { CompiledUnit } from './outcome.ts';
import type { CompileRequest } from './request.ts';
import { listUnitBackends } from './unit-backends.ts';

type Settings = Pick<CompileRequest, 'withExposure' | 'withBundleFiles'> & {
  readonly manifests?: ManifestSettings | undefined;
};

/** Data derived from a bundle alone. */
type FromBundle = Pick<CompiledUnit, 'digest' | 'files' | 'manifests' | 'exposedTools'>;

/** Maximum number of findings per gateway or registry server: high enough that advice in its status does not disappear when errors appear. */
const MAX_DIAGNOSTICS = 20;

/** Returns a converter. What is unchanged since its last call is returned as the same object. */
export function createUnits(): (compilation: Compilation, settings: Settings) => readonly CompiledUnit[] {
  let before = new Map<string, CompiledUnit>();
  let madeBy: Settings = { withExposure: false };
  let made = new WeakMap<object, FromBundle>();
  return (compilation, { withExposure, withBundleFiles, manifests }) => {
    const settings = { withExposure, withBundleFiles, manifests };
    if (!isDeepStrictEqual(settings, madeBy)) made = new WeakMap();
    madeBy = settings;
    const fromBundle = (built: CompiledGateway | CompiledRegistry): FromBundle => {
      if (built.bundle === null) return NOTHING;
      const known = made.get(built.bundle) ?? packUnit(built, settings);
      made.set(built.bundle, known);
      return known;
    };
    const near = new CompilationIndex(compilation);
    const now = new Map<string, CompiledUnit>();
    const add = (kind: CompiledUnit['kind'], built: CompiledGateway | CompiledRegistry) => {
      const { namespace, name } = built.object;
      const key = `${kind}/${namespace}/${name}`;
      if (now.has(key) || near.isOnlyInCluster(built.object)) return;
      const unit = { kind, namespace, name, ...fromBundle(built), ...listStatusParts(built, near) };
      const previous = before.get(key);
      now.set(key, previous !== undefined && isSame(unit, previous) ? previous : unit);
    };
    for (const gateway of compilation.gateways) add('gateway', gateway);
    // Without manifests no pods run, so MCPServers and MCPRemoteProxies, which need pods, are skipped.
    for (const server of manifests === undefined ? [] : compilation.servers) {
      const kind = server.object.kind === 'MCPRemoteProxy' ? 'remote-proxy' : 'server';
      add(kind, server);
    }
    for (const registry of compilation.registries) add('registry', registry);
    before = now;
    return [...now.values()].sort(
      (a, b) => compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
    );
  };
}

const NOTHING: FromBundle = { digest: null, files: [], manifests: [] };

function packUnit(
  built: CompiledGateway | CompiledRegistry,
  { withExposure, withBundleFiles = true, manifests }: Settings,
): FromBundle {
  const { bundle } = built;
  if (bundle === null) return NOTHING;
  const files = 'files' in built ? built.files : [];
  const exposure = built.exposure();
  const { index, files: output } = listBundleFiles([{ bundle, files, exposure: withExposure ? exposure : null }]);
  const [entry] = listEntries(index);
  const own = output.filter(({ path }) => entry !== undefined && path.startsWith(`${entry.path}/`));
  return {
    digest: entry?.digest ?? null,
    // The bundle comes last, so that a reader of the bundle finds all its files.
    files: own
      .filter(({ path }) => withBundleFiles || path.endsWith(`/${EXPOSURE_FILE}`))
      .map(({ path, text }) => ({ path: path.slice((entry?.path.length ?? 0) + 1), text }))
      .sort((a, b) => Number(a.path === BUNDLE_FILE) - Number(b.path === BUNDLE_FILE)),
    manifests: manifests === undefined ? [] : generateManifests({ bundle, files }, manifests),
    ...(exposure?.kind === 'gateway' ? { exposedTools: countExposedTools(exposure) } : {}),
  };
}

type UnitStatusParts = Pick<CompiledUnit, 'diagnostics' | 'configHashes' | 'statusReportingIntervalMs' | 'backends'>;

function listStatusParts(
  { object, bundle, blocker }: CompiledGateway | CompiledRegistry,
  near: CompilationIndex,
): UnitStatusParts {
  const own = near.listFindings(object);
  // A missing bundle needs an explanation: errors about the gateway itself, otherwise errors of related objects.
  const isUnexplained = bundle === null && !own.some(({ severity }) => severity === 'error');
  // Errors in another gateway do not explain why this one has no bundle; a registry server may list gateways.
  const isNear = (other: string | undefined) => object.kind === 'MCPRegistry' || other !== 'VirtualMCPServer';
  const errors = near.listErrorsNear(object.namespace).filter(diagnostic => isNear(diagnostic.object?.kind));
  // The known blocker may be in another namespace.
  const found = isUnexplained ? new Set([...own, ...(blocker === undefined ? [] : [blocker]), ...errors]) : own;
  const isGateway = bundle?.kind === 'gateway';
  return {
    diagnostics: listGravest(toFoundDiagnostics([...found]), MAX_DIAGNOSTICS),
    configHashes: computeConfigHashes(object, near),
    statusReportingIntervalMs: isGateway ? bundle.deployment.statusReportingIntervalMs : 0,
    backends: isGateway ? listUnitBackends(bundle, near) : [],
  };
}

function isSame(a: CompiledUnit, b: CompiledUnit): boolean {
  // Files and manifests depend on the digest and the settings, except for the exposure, which is compared as text.
  const { files, manifests, ...others } = a;
  const { files: filesBefore, manifests: manifestsBefore, ...othersBefore } = b;
  const isSameBundle =
    (files === filesBefore && manifests === manifestsBefore) ||
    isDeepStrictEqual([files, manifests], [filesBefore, manifestsBefore]);
  return isSameBundle && isDeepStrictEqual(others, othersBefore);
}
