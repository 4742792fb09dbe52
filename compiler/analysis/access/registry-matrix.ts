/** The part of the matrix about registry servers: which callers see which registries, and the entries of which sources. */
import { compareText, type RegistryBundle } from '#schemas';
import type { VisibleSources } from '#shared/plan';
import type { EvaluationContext } from './admission.ts';
import { type Cell, type MatrixFindings, type MatrixItem, mergeNotes, type Persona } from './matrix.ts';
import { admitToRegistry, isOpen, listSeenSources } from './registry-callers.ts';

/** Computes the access of each persona to a registry server, by the same function as the server itself. */
export function buildRegistryMatrix(
  bundle: RegistryBundle,
  personas: readonly Persona[],
  context: EvaluationContext,
): MatrixFindings {
  const { namespace, name } = bundle;
  const rows = personas.map(persona => ({
    persona: persona.name,
    ...admitToRegistry(bundle, persona.claims, context),
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

/** The registries that every caller sees in the same way, with a token or without. */
function listOpenRegistries(bundle: RegistryBundle): readonly string[] {
  if (bundle.auth.mode === 'anonymous') return [];
  return bundle.registries
    .filter(({ name }) => isOpen(name, bundle))
    .map(({ name }) => name)
    .sort(compareText);
}

function toCells(
  seen: ReadonlyMap<string, VisibleSources>,
  isVisible: (sources: VisibleSources) => boolean,
): { readonly [persona: string]: Cell } {
  return Object.fromEntries([...seen].map(([persona, sources]) => [persona, isVisible(sources) ? 'yes' : 'no']));
}
