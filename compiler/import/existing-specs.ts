/** Reads the specs that the target folder of an import already contains. */
import { existsSync } from 'node:fs';
import { getMember } from '#schemas';
import { findFiles } from '../source/find-files.ts';
import { readSources } from '../source/read-sources.ts';

export interface ExistingSpecs {
  /** Names of objects of any kind and of inline backends: a new object gets another name. */
  readonly names: ReadonlySet<string>;
  readonly groups: readonly string[];
  readonly gateways: readonly string[];
  /** The groups that gateways serve. */
  readonly groupsOfGateways: readonly string[];
  /** Gateways that show only the servers that they list, by group. */
  readonly listing: readonly { readonly gateway: string; readonly group: string }[];
}

export function readExistingSpecs(folder: string): ExistingSpecs {
  if (!existsSync(folder)) return { names: new Set(), groups: [], gateways: [], groupsOfGateways: [], listing: [] };
  const { files } = findFiles([folder], { cwd: process.cwd() });
  const { documents } = readSources(files, () => undefined);
  const objects = documents.flatMap(({ value }) => {
    const name = getMember(getMember(value, 'metadata'), 'name');
    return typeof name === 'string' ? [{ name, kind: getMember(value, 'kind'), spec: getMember(value, 'spec') }] : [];
  });
  const withGroups = objects.flatMap(({ name, kind, spec }) => {
    const group = getMember(getMember(spec, 'groupRef'), 'name');
    return kind === 'VirtualMCPServer' && typeof group === 'string' ? [{ name, group, spec }] : [];
  });
  const listing = withGroups.flatMap(({ name, group, spec }) => {
    const aggregation = getMember(getMember(spec, 'config'), 'aggregation');
    const isListing = getMember(aggregation, 'defaultToolVisibility') === 'deny';
    return isListing ? [{ gateway: name, group }] : [];
  });
  return {
    names: new Set(objects.flatMap(({ name, spec }) => [name, ...listBackendNames(spec)])),
    groups: objects.flatMap(({ name, kind }) => (kind === 'MCPGroup' ? [name] : [])),
    gateways: objects.flatMap(({ name, kind }) => (kind === 'VirtualMCPServer' ? [name] : [])),
    groupsOfGateways: withGroups.map(({ group }) => group),
    listing,
  };
}

/** Names of the inline backends of a gateway. They are not objects, so the list of objects does not have them. */
function listBackendNames(spec: unknown): readonly string[] {
  const backends = getMember(getMember(spec, 'config'), 'backends');
  if (!Array.isArray(backends)) return [];
  return backends.map(backend => getMember(backend, 'name')).filter(name => typeof name === 'string');
}
