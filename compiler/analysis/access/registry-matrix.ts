/** The part of the matrix about registry servers: which callers see which registries, and the entries of which sources. */
import {
  compareText,
  listVisibleSources,
  type RegistryBundle,
  type RegistryPlan,
  type RegistryRoutePlan,
  toIncomingAuthPlan,
  type VisibleSources,
} from '#schemas';
import { type Admission, authenticateCaller, type EvaluationContext } from './admission.ts';
import { type Cell, type MatrixFindings, type MatrixItem, mergeNotes, type Persona } from './matrix.ts';

/** Decides with the function by which registry servers decide. */
export function buildRegistryMatrix(
  bundle: RegistryBundle,
  personas: readonly Persona[],
  context: EvaluationContext,
): MatrixFindings {
  const { namespace, name } = bundle;
  const server = { kind: 'registry server', incomingAuth: toIncomingAuthPlan(bundle.auth), signsIn: false } as const;
  const rows = personas.map(persona => ({
    persona: persona.name,
    admission: authenticateCaller(server, persona.claims, context),
    hasToken: persona.claims !== undefined,
  }));
  const registries = [...bundle.registries].sort((a, b) => compareText(a.name, b.name));
  const visible = registries.map(registry => ({
    registry,
    seen: new Map(rows.map(row => [row.persona, listSeenSources(registry, bundle, row)])),
  }));
  const items = [
    ...visible.map(({ registry, seen }): MatrixItem => {
      return { type: 'registry', name: registry.name, access: toCells(seen, sources => sources !== null) };
    }),
    ...visible.flatMap(({ registry, seen }) =>
      registry.sources.toSorted(compareText).map((source): MatrixItem => {
        const access = toCells(seen, sources => sources?.includes(source) === true);
        return { type: 'source', name: `${registry.name}/${source}`, access };
      }),
    ),
  ];
  const notes = rows.flatMap(({ persona, admission: { refusals, notes: own } }) =>
    [...refusals.map(cause => `the registry server refuses the caller: ${cause}`), ...own].map(note => ({
      persona,
      note,
    })),
  );
  const open = listOpenRegistries(bundle).map(
    registry => `registry ${registry} needs no token, so a token changes nothing there`,
  );
  return {
    kind: 'registry',
    matrix: { namespace, name, complete: true, items },
    notes: [...mergeNotes(notes), ...open],
  };
}

interface RegistryCaller {
  readonly admission: Admission;
  readonly hasToken: boolean;
}

/** The sources that the caller sees on at least one route of the registry; null for a caller whom every route refuses. */
function listSeenSources(registry: RegistryPlan, bundle: RegistryBundle, caller: RegistryCaller): VisibleSources {
  const seen = listAccess(registry.name, bundle)
    .map(access => listSourcesAt(access, registry, bundle, caller))
    .filter(sources => sources !== null);
  return seen.length === 0 ? null : [...new Set(seen.flat())];
}

function listSourcesAt(
  access: RegistryRoutePlan['access'],
  registry: RegistryPlan,
  bundle: RegistryBundle,
  { admission, hasToken }: RegistryCaller,
): VisibleSources {
  // A public route ignores a token, and a server without authentication does so everywhere.
  if (access === 'public' || bundle.auth.mode === 'anonymous') return listVisibleSources(registry, bundle, undefined);
  if (!hasToken || admission.refusals.length > 0) return null;
  return listVisibleSources(registry, bundle, admission.caller?.claims ?? {});
}

function listAccess(registry: string, { routes }: RegistryBundle): readonly RegistryRoutePlan['access'][] {
  return [...new Set(routes.filter(route => route.registry === registry).map(({ access }) => access))];
}

/** The registries that a caller with a token sees like one without. */
function listOpenRegistries(bundle: RegistryBundle): readonly string[] {
  if (bundle.auth.mode === 'anonymous') return [];
  return bundle.registries
    .filter(({ name }) => listAccess(name, bundle).every(access => access === 'public'))
    .map(({ name }) => name)
    .sort(compareText);
}

function toCells(
  seen: ReadonlyMap<string, VisibleSources>,
  isVisible: (sources: VisibleSources) => boolean,
): { readonly [persona: string]: Cell } {
  return Object.fromEntries([...seen].map(([persona, sources]) => [persona, isVisible(sources) ? 'yes' : 'no']));
}
