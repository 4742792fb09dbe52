import type { GatewayBundle, MCPRegistry, RegistryBundle } from '#schemas';
import { isObject } from '#schemas';
import { locateInPatch } from '../analysis/pods/locate-in-patch.ts';
import { findMainContainer } from '../analysis/pods/main-container.ts';
import { getPodPatchSchema } from '../analysis/pods/pod-schema.ts';
import { findRefusals, type Refusal } from '../analysis/pods/refusals/index.ts';
import { diagnose } from '../check/diagnose.ts';
import { checkStructure } from '../check/structural.ts';
import { suggestRemedy } from '../check/violation-words.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { createForeignPod, type ManifestFields, mergeEmbeddingPod, mergeGatewayPod } from '../emit/manifests/index.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

/** A layer that a spec merges over the generated pod, and its path in the object. */
interface Layer {
  readonly patch: ManifestFields;
  readonly toSpecPath: (inPatch: Path) => Path;
}

const PLACE = ['spec', 'podTemplateSpec'];

/** Kinds whose pods another controller creates. */
const OF_OTHERS: ReadonlySet<string> = new Set(['MCPServer', 'MCPRemoteProxy']);

/**
 * The API server must accept the pods of embedding servers, and the parts of other controllers' pods that the template decides.
 *
 * @holds VirtualMCPServer | `podTemplateSpec` | merged with the generated pod, it gives a pod that the API server accepts: volumes of mounts,
 *   names, ports, variables, probes, quantities, security, scheduling (for other kinds, as far as the template decides) | -
 */
export function refusedPods(resource: Resource): Diagnostic[] {
  const { podTemplateSpec } = resource.spec as { readonly podTemplateSpec?: unknown };
  if (!isObject(podTemplateSpec)) return [];
  const layers = [toTemplateLayer(podTemplateSpec)];
  if (resource.kind === 'EmbeddingServer') return checkTemplate(resource, mergeEmbeddingPod(resource), true, layers);
  const main = findMainContainer(resource.kind);
  if (main === undefined || !OF_OTHERS.has(resource.kind)) return [];
  return checkTemplate(resource, createForeignPod(main, podTemplateSpec), false, layers);
}

/** The API server must accept a gateway's pod, merged with its pod template. */
export function checkGatewayPod(gateway: Resource, bundle: GatewayBundle): Diagnostic[] {
  const { podTemplateSpec } = bundle.deployment;
  const template = podTemplateSpec === null ? null : mergeGatewayPod(bundle);
  if (podTemplateSpec === null || template === null) return [];
  return checkTemplate(gateway, template, true, [toTemplateLayer(podTemplateSpec)]);
}

/** The API server must accept a registry server's pod, with its volumes and its pod template. */
export function checkRegistryPod(server: Resource<MCPRegistry['spec']>, bundle: RegistryBundle): Diagnostic[] {
  const { volumes = [], volumeMounts = [], podTemplateSpec } = server.spec;
  if (podTemplateSpec === undefined && volumes.length === 0 && volumeMounts.length === 0) return [];
  const template = mergeGatewayPod(bundle);
  if (template === null) return [];
  const besides: Layer = {
    patch: { spec: { volumes, containers: [{ name: findMainContainer(server.kind), volumeMounts }] } },
    toSpecPath: ([, list, ...rest]) =>
      list === 'containers' ? ['spec', ...rest.slice(1)] : ['spec', list ?? 'volumes', ...rest],
  };
  const layers = [...(podTemplateSpec === undefined ? [] : [toTemplateLayer(podTemplateSpec)]), besides];
  return [...checkUnreadable(server, besides), ...checkTemplate(server, template, true, layers)];
}

/** Volumes and mounts have Kubernetes' own schema, which the kind's schema lacks. */
function checkUnreadable({ document }: Resource, { patch, toSpecPath }: Layer): Diagnostic[] {
  return checkStructure(getPodPatchSchema(), patch).map(violation => {
    const details = { at: violation.at, ...suggestRemedy(violation, patch) };
    return diagnose(document, 'LNT1046', toSpecPath(violation.path), violation.message, details);
  });
}

function toTemplateLayer(patch: ManifestFields): Layer {
  return { patch, toSpecPath: inPatch => [...PLACE, ...inPatch] };
}

function checkTemplate(
  resource: Resource,
  template: ManifestFields,
  isWhole: boolean,
  layers: readonly Layer[],
): Diagnostic[] {
  const main = findMainContainer(resource.kind) ?? '';
  const known = new Set(layers.flatMap(listStructureProblems));
  return findRefusals({ template, main, isWhole }).flatMap(refusal => {
    const { path, at } = findPlace(refusal, template, layers);
    const key = formatKey(path, refusal.message);
    if (known.has(key)) return [];
    known.add(key);
    const details = { at, ...(refusal.fix === undefined ? {} : { fix: refusal.fix }) };
    return [diagnose(resource.document, 'LNT1055', path, refusal.message, details)];
  });
}

/** Another check (LNT1046) reports errors within one layer. */
function listStructureProblems({ patch, toSpecPath }: Layer): string[] {
  return checkStructure(getPodPatchSchema(), patch).map(({ path, message }) => formatKey(toSpecPath(path), message));
}

function formatKey(path: Path, message: string): string {
  return JSON.stringify([path, message]);
}

/** The position where the spec has most of the refused part. */
function findPlace(
  { places, at = 'value' }: Refusal,
  template: ManifestFields,
  layers: readonly Layer[],
): { path: Path; at: 'key' | 'value' } {
  const authoredPaths = layers.flatMap(layer =>
    places.map(location => {
      const { path, isWhole } = locateInPatch(layer.patch, template, location);
      return { path, isWhole, layer };
    }),
  );
  const best =
    authoredPaths.find(({ isWhole }) => isWhole) ??
    authoredPaths.reduce((a, b) => (b.path.length > a.path.length ? b : a));
  if (best.path.length === 0) return { path: best.layer.toSpecPath([]), at: 'key' };
  return { path: best.layer.toSpecPath(best.path), at: best.isWhole ? at : 'key' };
}
