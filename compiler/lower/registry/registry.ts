/** Lowers the checked configuration of a registry server to its bundle; reads like a table of contents. */
import { BUNDLE_FORMAT_VERSION, type RegistryBundle, type RegistryConfig } from '#schemas';
import { lowerClaims } from '../../analysis/registry/claims.ts';
import type { BundledEntries } from '../../analysis/registry/contents.ts';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { ConsumptionTracker, Tracked } from '../../resolve/tracked.ts';
import { toFindings } from '../../resolve/tracker-findings.ts';
import type { Origin } from '../gateway.ts';
import { lowerRegistryAudit } from './audit.ts';
import { lowerAuth } from './auth.ts';
import { lowerRegistryAuthorization } from './authorization.ts';
import type { BundleFile } from './entries.ts';
import { listFeatures, listFiles } from './requirements.ts';
import { lowerRoutes } from './routes.ts';
import { lowerSources } from './sources.ts';
import { lowerRegistryTelemetry } from './telemetry.ts';

const NO_DATABASE = 'this server is fed from Git and from other registries, and keeps nothing in a database';

export interface LoweredRegistry {
  /** Must not be used when `diagnostics` contains an error. */
  readonly bundle: RegistryBundle;
  /** The files that are written next to the bundle. */
  readonly files: readonly BundleFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Lowers one configuration that passed the check. Every leaf of it is read, refused or reported as ignored.
 *
 * @param bundled the entries that were read at compile time, by source
 */
export function lowerRegistry(
  { document, config, authored }: RegistryDocument,
  origin: Origin,
  bundled: ReadonlyMap<string, BundledEntries>,
): LoweredRegistry {
  const tracker = new ConsumptionTracker();
  const root = new Tracked<RegistryConfig>(config, [], tracker);
  // The name became the object's name when the document was classified.
  root.get('registryName');
  const auth = root.child('auth');
  if (auth === undefined) throw new Error('a configuration without auth passed the check');
  const { plan: authPlan, publicPaths } = lowerAuth(auth);
  const registries = root.items('registries').map(registry => ({
    name: registry.get('name'),
    sources: registry.get('sources'),
    claims: lowerClaims(registry),
  }));
  const { sources, files } = lowerSources(root.items('sources'), bundled);
  const plan = {
    auth: authPlan,
    authorization: lowerRegistryAuthorization(auth),
    publicPaths,
    routes: lowerRoutes(authPlan, publicPaths, registries),
    sources,
    registries,
  };
  const audit = lowerRegistryAudit(root.child('audit'));
  const telemetry = lowerRegistryTelemetry(root.child('telemetry'));
  root.ignore('database', NO_DATABASE);
  const operations = { ...(audit && { audit }), ...(telemetry && { telemetry }) };
  const { namespace, name } = document;
  return {
    bundle: {
      formatVersion: BUNDLE_FORMAT_VERSION,
      kind: 'registry',
      namespace,
      name,
      origin,
      requires: listFeatures({ ...plan, ...operations }),
      files: listFiles(plan),
      ...plan,
      ...operations,
      deployment: null,
    },
    files,
    diagnostics: toFindings(tracker, authored, []).map(found => diagnose(document, ...found)),
  };
}
