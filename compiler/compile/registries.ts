/** Compiles configurations of registry servers: checks, runs rules, lowers. */
import type { MCPRegistry, RegistryBundle } from '#schemas';
import { computeBundleDigest } from '../analysis/exposure/bundle-digest.ts';
import { computeRegistryExposure } from '../analysis/exposure/registry/exposure-of-registry.ts';
import type { RegistryExposure } from '../analysis/exposure/registry/registry-exposure.ts';
import { checkConfig } from '../analysis/registry/check-config.ts';
import { type RegistryContext, readRegistryContents } from '../analysis/registry/contents.ts';
import { checkDuplicateRegistries } from '../analysis/registry/duplicates.ts';
import { parseEmbeddedConfig } from '../analysis/registry/embedded-config.ts';
import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { isError, isMistake } from '../diagnostics/is-error.ts';
import { formatObjectKey } from '../diagnostics/object-key.ts';
import { checkCaBundlesInSources } from '../lower/ca-bundle.ts';
import { LoweringContext } from '../lower/context.ts';
import type { Origin } from '../lower/gateway.ts';
import { lowerRegistryDeployment } from '../lower/registry/deployment.ts';
import type { BundleFile } from '../lower/registry/entries.ts';
import { lowerRegistry } from '../lower/registry/registry.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { checkRegistryPod } from '../rules/refused-pods.ts';
import { configCredentials } from '../rules/registry/config-credentials.ts';
import { checkDeniedRegistryHosts } from '../rules/registry/contacted-registry-hosts.ts';
import { REGISTRY_RULES } from '../rules/registry/index.ts';
import type { Classification, ResourceDocument } from '../source/classify.ts';
import { compareByName } from './compare-by-name.ts';

export interface CompiledRegistry {
  readonly object: ObjectRef;
  /** Null when an error affects this registry server, or when this version lacks a feature that the server needs. */
  readonly bundle: RegistryBundle | null;
  /** The plan, even when this version does not support everything; null when an error affects it. */
  readonly plan: () => RegistryBundle | null;
  /** Which callers see which entries, even when this version does not support everything; null when an error affects the server. */
  readonly exposure: () => RegistryExposure | null;
  /** The first error that keeps its bundle from being built; undefined when there is none. */
  readonly blocker: Diagnostic | undefined;
  /** The entries that are written into the bundle; paths are relative to its folder. */
  readonly files: readonly BundleFile[];
}

interface CheckedRegistry {
  readonly bundle: RegistryBundle | null;
  /** An object whose errors make the server's list uncertain: then there is no bundle. */
  readonly openedBy?: ObjectRef | undefined;
  readonly files: readonly BundleFile[];
  /** The findings that a check reports, also when there is a bundle. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles the configurations that are files of their own, and every MCPRegistry, valid or not.
 *
 * @param previous errors of earlier stages; those without an object affect every registry server
 */
export function compileRegistries(
  { registryConfigs: configs, resources }: Pick<Classification, 'registryConfigs' | 'resources'>,
  registryContext: RegistryContext,
  origin: Origin,
  previous: readonly Diagnostic[],
): { readonly registries: readonly CompiledRegistry[]; readonly diagnostics: readonly Diagnostic[] } {
  const servers = resources.filter(({ kind }) => kind === 'MCPRegistry');
  const duplicates = checkDuplicateRegistries([...servers, ...configs]);
  const checked = [
    ...configs.map(document => ({ document, ...checkConfiguration(document, registryContext, origin) })),
    ...servers.map(document => ({ document, ...checkServer(document, registryContext, origin) })),
  ];
  const diagnostics = [
    ...duplicates,
    ...configs.flatMap(configCredentials),
    ...checked.flatMap(found => found.diagnostics),
  ];
  const isWrong = isConcerned([...previous, ...diagnostics].filter(isMistake));
  const errors = [...previous, ...diagnostics].filter(isError);
  const isBlocked = isConcerned(errors);
  const firstAbout = findFirstError(errors);
  const blockerOfGateway = ({ namespace, name }: ObjectRef) => registryContext.findGateway(namespace, name)?.blocker;
  const registries = checked.map(({ document: { object }, bundle, files, openedBy }): CompiledRegistry => {
    const isBuilt = bundle !== null && !isBlocked(object);
    const plan = () => (isWrong(object) ? null : bundle);
    const blocker = () =>
      firstAbout(object) ?? firstAbout(undefined) ?? (openedBy && (firstAbout(openedBy) ?? blockerOfGateway(openedBy)));
    return {
      object,
      bundle: isBuilt ? bundle : null,
      blocker: isBuilt ? undefined : blocker(),
      files: isBuilt ? files : [],
      plan,
      exposure: () => {
        const exposed = plan();
        if (exposed === null) return null;
        const exposure = computeRegistryExposure(exposed, files);
        return isBuilt ? { ...exposure, bundle: computeBundleDigest(exposed) } : exposure;
      },
    };
  });
  return { registries: registries.sort(compareByName), diagnostics };
}

function checkConfiguration(
  document: ResourceDocument,
  registryContext: RegistryContext,
  origin: Origin,
): CheckedRegistry {
  const { diagnostics, registry } = checkConfig(document);
  if (registry === undefined) return { diagnostics, bundle: null, files: [] };
  const found = [
    ...diagnostics,
    ...REGISTRY_RULES.flatMap(rule => rule(registry)),
    ...checkDeniedRegistryHosts(registry, registryContext.denial),
  ];
  // A plan with errors is meaningless.
  if (found.some(isMistake)) return { diagnostics: found, bundle: null, files: [] };
  const contents = readRegistryContents(registry, registryContext);
  const { bundle, files, diagnostics: lowering } = lowerRegistry(registry, origin, contents.bundled);
  return {
    // An error in another object may hide an entry, and clients would then get a list without it, so there is no bundle.
    bundle: contents.openedBy === undefined ? bundle : null,
    openedBy: contents.openedBy,
    files,
    diagnostics: [...found, ...contents.diagnostics, ...lowering],
  };
}

/** Checks the configuration inside of an MCPRegistry and the rest of the object. */
function checkServer(document: ResourceDocument, registryContext: RegistryContext, origin: Origin): CheckedRegistry {
  const { inventory } = registryContext;
  const server = inventory.find<MCPRegistry['spec']>(document.kind, document.namespace, document.name);
  if (server?.document !== document) return { bundle: null, files: [], diagnostics: [] };
  const lowered = lowerDeployment(server, inventory);
  const { config, diagnostics, relocate } = parseEmbeddedConfig(document, server.spec.configYAML);
  if (config === undefined) return { bundle: null, files: [], diagnostics: [...lowered.diagnostics, ...diagnostics] };
  const inner = checkConfiguration(config, registryContext, origin);
  // Findings about another file or object keep their own positions.
  const isInside = ({ file, object }: Diagnostic) => file === config.doc.file && object === config.object;
  const trusted = checkTrustedCertificates(server, inner.bundle, inventory);
  const isTrusted = !trusted.some(isError);
  const bundle = isTrusted ? inner.bundle && { ...inner.bundle, deployment: lowered.deployment } : null;
  return {
    bundle,
    openedBy: inner.openedBy,
    files: inner.files,
    diagnostics: [
      ...lowered.diagnostics,
      ...trusted,
      ...(bundle === null ? [] : checkRegistryPod(server, bundle)),
      ...diagnostics,
      ...inner.diagnostics.map(found => (isInside(found) ? relocate(found) : found)),
    ],
  };
}

function lowerDeployment(server: Resource<MCPRegistry['spec']>, inventory: Inventory) {
  const context = new LoweringContext(inventory);
  const deployment = lowerRegistryDeployment(server, context.track(server));
  context.settleLedgers();
  return { deployment, diagnostics: context.diagnostics };
}

/** Problems of the ConfigMaps with trusted certificates, as far as they are in the sources. */
function checkTrustedCertificates(server: Resource, bundle: RegistryBundle | null, inventory: Inventory): Diagnostic[] {
  const context = new LoweringContext(inventory);
  const files = (bundle?.files ?? []).filter(({ use }) => use === 'ca-certificates');
  checkCaBundlesInSources(
    context,
    server,
    files.map(({ path }) => path),
  );
  return context.diagnostics;
}

/** An error without an object may be about any object, so it affects everything. */
function isConcerned(errors: readonly Diagnostic[]): (object: ObjectRef) => boolean {
  const isUnknown = errors.some(({ object }) => object === undefined);
  const broken = new Set(errors.map(({ object }) => object && formatObjectKey(object)));
  return object => isUnknown || broken.has(formatObjectKey(object));
}

/** The first error about each object; under undefined, the first error without an object. */
function findFirstError(errors: readonly Diagnostic[]): (object: ObjectRef | undefined) => Diagnostic | undefined {
  const first = new Map<string | undefined, Diagnostic>();
  for (const error of errors) {
    const key = error.object && formatObjectKey(error.object);
    if (!first.has(key)) first.set(key, error);
  }
  return object => first.get(object && formatObjectKey(object));
}
