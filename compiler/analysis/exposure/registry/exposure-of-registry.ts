/** Computes the exposure of a registry server from its plan, member by member. */
import {
  compareText,
  INTERNAL_PATHS,
  type RegistryAuthPlan,
  type RegistryBundle,
  type RegistrySourcePlan,
} from '#schemas';
import { EXPOSURE_FORMAT_VERSION } from '../exposure.ts';
import { planView } from '../plan/plan-view.ts';
import { REGISTRY_LEAVES } from '../plan/registry-leaves.ts';
import { evaluateRoute } from './answers.ts';
import { listRegistryCallers } from './callers.ts';
import { listOfferedNames } from './offered-names.ts';
import type {
  ExposedRoute,
  ExposedSource,
  RegistryAuthentication,
  RegistryAuthorization,
  RegistryExposure,
} from './registry-exposure.ts';
import { formatOrigin, listSentCredentials } from './sent-credentials.ts';

/** A file of the bundle with registry entries. */
interface EntriesText {
  readonly path: string;
  readonly text: string;
}

/**
 * The same plan gives the same exposure, member by member.
 *
 * @param files the files of the bundle, with the entries of bundled sources
 */
export function computeRegistryExposure(bundle: RegistryBundle, files: readonly EntriesText[] = []): RegistryExposure {
  const callers = listRegistryCallers(bundle);
  const routes = bundle.routes
    .map((route): ExposedRoute => {
      const { method, path, access, registry } = route;
      return { method, path, access, registry, answers: callers.map(caller => evaluateRoute(caller, route, bundle)) };
    })
    .sort((a, b) => compareText(a.path, b.path));
  return {
    formatVersion: EXPOSURE_FORMAT_VERSION,
    kind: 'registry',
    namespace: bundle.namespace,
    name: bundle.name,
    authentication: readAuthentication(bundle.auth),
    authorization: readAuthorization(bundle),
    callers,
    routes,
    registries: bundle.registries
      .map(({ name, sources, claims }) => ({ name, sources, claims }))
      .sort((a, b) => compareText(a.name, b.name)),
    sources: bundle.sources
      .map(source => exposeSource(source, bundle, files))
      .sort((a, b) => compareText(a.name, b.name)),
    credentials: listSentCredentials(bundle),
    internalPaths: INTERNAL_PATHS,
    totals: {
      routes: routes.length,
      open: routes.filter(({ access }) => access === 'public').length,
      registries: bundle.registries.length,
      sources: bundle.sources.length,
    },
    plan: planView(bundle, REGISTRY_LEAVES),
  };
}

function readAuthentication(auth: RegistryAuthPlan): RegistryAuthentication {
  if (auth.mode === 'anonymous') return { type: 'anonymous' };
  return {
    type: 'oauth',
    resource: auth.resourceMetadata.document.resource,
    providers: auth.providers.map(({ name, issuer, audience, introspection }) => {
      return { name, issuer, audience, acceptsOpaque: introspection !== null };
    }),
  };
}

/** Only the first role matters: no route changes anything. */
function readAuthorization({ authorization }: RegistryBundle): RegistryAuthorization {
  if (authorization.type !== 'claims') return { type: authorization.type };
  return { type: 'claims', superAdmins: authorization.roles.superAdmin };
}

function exposeSource(
  { name, from, filter, claims }: RegistrySourcePlan,
  { registries }: RegistryBundle,
  files: readonly EntriesText[],
): ExposedSource {
  const file = from.type === 'bundled' ? files.find(({ path }) => path === from.entries.path) : undefined;
  return {
    name,
    type: from.type,
    from: formatOrigin(from),
    entries: from.type === 'bundled' ? from.entries.count : null,
    ...(file === undefined ? {} : { offers: listOfferedNames(file.text) }),
    filter,
    claims,
    registries: registries
      .filter(({ sources }) => sources.includes(name))
      .map(registry => registry.name)
      .sort(compareText),
  };
}
