/** The entries of `kubernetes` sources: objects of the same run that are annotated for export. */

import { type ClaimMap, compareText, formatCanonicalJson, type RegistryEntry, type RegistrySource } from '#schemas';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic, ObjectRef } from '../../diagnostics/diagnostic.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { isKnownKind } from '../../resolve/known-kinds.ts';
import type { ResourceDocument } from '../../source/classify.ts';
import { createRelatedLocation } from '../../source/locate-finding.ts';
import { isNamespaceName } from '../../source/metadata.ts';
import { buildCompositeDefinition } from '../exposure/composite-definition.ts';
import type { GatewayModel } from '../gateway/model.ts';
import { claimMap } from './claims.ts';
import type { RegistryContents, RegistryContext } from './contents.ts';
import type { RegistryDocument } from './document.ts';
import {
  EXPORTED_KINDS,
  type ExportAnnotations,
  exportAnnotations,
  exportClaims,
  type ListedTool,
  readExportedServer,
  toListedTool,
} from './exported-server.ts';

export function collectClusterContents(registry: RegistryDocument, registryContext: RegistryContext): RegistryContents {
  const found = [...registry.config.sources.entries()]
    .filter(([, { kubernetes }]) => kubernetes !== undefined)
    .map(([index, source]) => ({ source, ...toListedObject(registry, source, index, registryContext) }));
  return {
    bundled: new Map(found.map(({ source, entries }) => [source.name, { entries, origin: formatOrigin(source) }])),
    diagnostics: [...found.flatMap(({ diagnostics }) => diagnostics), ...checkUnlisted(registry, found)],
    openedBy: found.find(({ openedBy }) => openedBy !== undefined)?.openedBy,
  };
}

/** An object of an unknown kind may be meant to be of an exported kind. */
function mayBeExported({ kind }: ResourceDocument): boolean {
  return EXPORTED_KINDS.includes(kind) || !isKnownKind(kind);
}

interface ExportedObject {
  readonly resource: Resource;
  readonly annotations: ExportAnnotations;
}

interface ListedObject {
  readonly entries: readonly RegistryEntry[];
  readonly diagnostics: readonly Diagnostic[];
  readonly openedBy: ObjectRef | undefined;
  /** Objects that the list contains, or hides because of claims. */
  readonly shown: readonly Resource[];
  readonly hidden: readonly ExportedObject[];
}

function toListedObject(
  registry: RegistryDocument,
  source: RegistrySource,
  index: number,
  registryContext: RegistryContext,
): ListedObject {
  const { namespaces } = source.kubernetes ?? {};
  const isIn = ({ namespace }: { readonly namespace: string }) => namespaces?.includes(namespace) ?? true;
  const exported = EXPORTED_KINDS.flatMap(kind => registryContext.inventory.listAll(kind))
    .filter(isIn)
    .flatMap((resource): ExportedObject[] => {
      const annotations = exportAnnotations(resource);
      return annotations === undefined ? [] : [{ resource, annotations }];
    });
  const fits = exported.filter(({ annotations }) => isForNoMore(annotations, readClaims(registry, source)));
  const diagnostics: Diagnostic[] = [];
  const byName = new Map<string, { readonly entry: RegistryEntry; readonly resource: Resource }>();
  let openedBy = registryContext.broken.find(
    broken => mayBeExported(broken) && (isIn(broken) || !isNamespaceName(broken.namespace)),
  )?.object;
  for (const { resource, annotations } of fits) {
    const model = findGateway(resource, registryContext);
    if (model === null) openedBy ??= resource.document.object;
    const { entry } = readExportedServer(resource, annotations, listTools(model));
    if (entry === undefined) continue;
    const previous = byName.get(entry.server.name);
    if (previous === undefined) byName.set(entry.server.name, { entry, resource });
    else diagnostics.push(reportRepeated(resource, annotations, previous.resource));
  }
  const entries = [...byName.values()].map(({ entry }) => entry);
  if (entries.length === 0 && openedBy === undefined) {
    const message = `the source "${source.name}" lists nothing: no object${formatNamespaces(namespaces)} that it may show is annotated for export`;
    diagnostics.push(diagnose(registry.document, 'LNT8028', ['sources', index, 'kubernetes'], message, { at: 'key' }));
  }
  const hidden = exported.filter(object => !fits.includes(object));
  return { entries, diagnostics, openedBy, shown: fits.map(({ resource }) => resource), hidden };
}

/** The claims required to see a source's entries; undefined when none are. */
function readClaims({ config }: RegistryDocument, { claims }: RegistrySource): ClaimMap | undefined {
  const isAsked = config.auth.mode !== 'anonymous' && config.auth.authz !== undefined;
  return isAsked ? claimMap(claims ?? {}) : undefined;
}

/**
 * A list has one set of claims for all of its entries, so an object with claims of its own is listed only if they equal the required
 * claims.
 */
function isForNoMore(annotations: ExportAnnotations, claimMaps: ClaimMap | undefined): boolean {
  const claims = exportClaims(annotations);
  if (claims === undefined) return false;
  if (claims === null) return true;
  return isSame(claims, claimMaps ?? {});
}

function isSame(one: ClaimMap, other: ClaimMap): boolean {
  return formatCanonicalJson(sortClaims(one)) === formatCanonicalJson(sortClaims(other));
}

function sortClaims(claims: ClaimMap): ClaimMap {
  return Object.fromEntries(
    Object.entries(claims).map(([claim, values]) => [claim, [...new Set(values)].sort(compareText)]),
  );
}

/** The gateway of an object. Undefined for an object that is not a gateway; null for a gateway with errors. */
function findGateway(
  { kind, namespace, name }: Resource,
  registryContext: RegistryContext,
): GatewayModel | null | undefined {
  return kind === 'VirtualMCPServer' ? (registryContext.findGateway(namespace, name)?.model() ?? null) : undefined;
}

/** The tools of a gateway as callers see them, if the catalog has all of its backends: a partial list would mislead. */
function listTools(model: GatewayModel | null | undefined): readonly ListedTool[] | undefined {
  if (!model?.isLocked) return undefined;
  const tools = model.tools.filter(({ advertised }) => advertised).map(({ definition }) => definition);
  return [...tools, ...model.composites.map(buildCompositeDefinition)]
    .map(({ name, description }) => toListedTool(String(name), description))
    .sort((a, b) => compareText(a.name, b.name));
}

function reportRepeated(resource: Resource, { group }: ExportAnnotations, previous: Resource): Diagnostic {
  const path = ['metadata', 'annotations', `${group}/registry-export`];
  const { kind, namespace, name, document } = previous;
  const message = `the ${kind} "${name}" in namespace "${namespace}" has the same name in the registry, so this one is not listed`;
  return diagnose(resource.document, 'LNT8029', path, message, {
    at: 'key',
    related: [createRelatedLocation('the first one', document.doc, ['metadata', 'name'])],
  });
}

/** Reports objects that no source of the registry server lists, because of their claims. */
function checkUnlisted({ document }: RegistryDocument, found: readonly ListedObject[]): Diagnostic[] {
  const shown = new Set(found.flatMap(listed => listed.shown));
  const hidden = new Map(found.flatMap(listed => listed.hidden).map(object => [object.resource, object]));
  return [...hidden.values()].flatMap(({ resource, annotations }) => {
    // Malformed claims are an error of the object itself.
    if (shown.has(resource) || exportClaims(annotations) === undefined) return [];
    const path = ['metadata', 'annotations', `${annotations.group}/authz-claims`];
    const message = `no kubernetes source of the registry server "${document.name}" asks for these claims, so the object is not listed`;
    return [diagnose(resource.document, 'LNT8026', path, message)];
  });
}

function formatOrigin({ kubernetes }: RegistrySource): string {
  return `exported objects${formatNamespaces(kubernetes?.namespaces)}`;
}

function formatNamespaces(namespaces: readonly string[] | undefined): string {
  if (namespaces === undefined) return '';
  return ` in the namespace${namespaces.length === 1 ? '' : 's'} ${namespaces.join(', ')}`;
}
