/**
 * Compiles MCPServers and MCPRemoteProxies that Lintel's manifests serve: lowers each as a gateway of one backend, and keeps its bundle when no
 * error affects it.
 */
import { listSourceBackends } from '../analysis/catalog/index.ts';
import { computeBundleDigest } from '../analysis/exposure/bundle-digest.ts';
import { computeExposure } from '../analysis/exposure/compute-exposure.ts';
import { buildGatewayModel } from '../analysis/gateway/model.ts';
import type { LoweredGateway } from '../analysis/lowered-gateway.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { asLanguage, isError, isMistake } from '../diagnostics/is-error.ts';
import { findServerBlocker } from '../emit/bundle-blockers.ts';
import type { Inventory } from '../resolve/inventory.ts';
import type { QueryCache } from '../resolve/query-cache.ts';
import { SERVER_RULES } from '../rules/gateway/index.ts';
import { toGateway } from '../servers/as-gateway.ts';
import { getExposedName } from '../servers/exposed-name.ts';
import { attributeToServer } from '../servers/findings.ts';
import { lowerServer } from '../servers/lower.ts';
import { findServedServer, type ServedServer } from '../servers/served-server.ts';
import { compareByName } from './compare-by-name.ts';
import type { CompileOptions } from './compilation.ts';
import type { CompiledGateway } from './gateways.ts';
import type { CheckedObjects } from './objects.ts';

interface LoweringResult {
  readonly lowered: LoweredGateway;
  /** Found during lowering, and by the rules about the whole gateway. */
  readonly found: readonly Diagnostic[];
}

/** @param errorsFor - errors of earlier stages that may affect an object of a namespace */
export function compileServers(
  { resources, inventory }: CheckedObjects,
  options: CompileOptions,
  errorsFor: (namespace: string) => readonly Diagnostic[],
  memory: QueryCache,
): { readonly servers: readonly CompiledGateway[]; readonly diagnostics: readonly Diagnostic[] } {
  const compiled = resources
    .filter(({ kind, namespace, name, document }) => inventory.find(kind, namespace, name)?.document === document)
    .flatMap(resource => findServedServer(resource) ?? [])
    .map(served => {
      const { resource } = served;
      const checked = memory.getOrComputeAmong('lowered', resource, inventory, all =>
        checkServer(served, all, options),
      );
      return { ...checked, server: compileServer(served, checked, inventory, options, errorsFor(resource.namespace)) };
    });
  const found = compiled.flatMap(entry => entry.found);
  return {
    servers: compiled.map(({ server }) => server).sort(compareByName),
    diagnostics: options.purpose === 'language' ? found.map(asLanguage) : found,
  };
}

function checkServer(served: ServedServer, inventory: Inventory, options: CompileOptions): LoweringResult {
  const lowered = lowerServer(served, inventory, options.origin, options.catalog);
  // A plan with errors is meaningless, so rules about whole gateways are skipped.
  if (lowered.diagnostics.some(isMistake)) return { lowered, found: lowered.diagnostics };
  const model = buildGatewayModel(toGateway(served, inventory), inventory, lowered, options.catalog, options);
  const checked = SERVER_RULES.flatMap(rule => rule(model));
  return { lowered, found: [...lowered.diagnostics, ...attributeToServer(served.resource, checked)] };
}

function compileServer(
  served: ServedServer,
  { lowered, found }: LoweringResult,
  inventory: Inventory,
  { origin, catalog }: CompileOptions,
  errors: readonly Diagnostic[],
): CompiledGateway {
  const { resource } = served;
  const lowerAgain = () => lowerServer(served, inventory, origin, catalog);
  const blocker = findServerBlocker(resource, inventory, [...errors, ...found.filter(isError)]);
  const isBroken = lowered.diagnostics.some(isMistake) || findServerBlocker(resource, inventory, errors) !== undefined;
  const model = () =>
    isBroken ? null : buildGatewayModel(toGateway(served, inventory), inventory, lowerAgain(), catalog);
  return {
    object: resource.document.object,
    bundle: blocker === undefined ? lowered.bundle : null,
    blocker,
    model,
    exposure: () => {
      const whole = model();
      if (whole === null) return null;
      const exposure = { ...computeExposure(whole), name: getExposedName(resource) };
      return blocker === undefined ? { ...exposure, bundle: computeBundleDigest(lowered.bundle) } : exposure;
    },
    backends: () => listSourceBackends(lowerAgain()),
  };
}
