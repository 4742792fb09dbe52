/** Detects the program that a file belongs to, by its content. */
import { isObject } from '#schemas';
import { findNearest } from '#shared/util';
import { UsageError } from '../usage-error.ts';
import { isAgentGateway, LOST_OF_LISTENERS, LOST_POLICIES, readAgentGateway } from './forms/agentgateway.ts';
import { isCodex, readCodex } from './forms/codex.ts';
import { isDockerCatalog, LOST_OF_CATALOG, readDockerCatalog } from './forms/docker-catalog.ts';
import { isMcpJson, LOST_OF_CLIENTS, readMcpJson } from './forms/mcp-json.ts';
import { isToolHive, LOST_OF_TOOLHIVE, readToolHive } from './forms/toolhive.ts';
import { isOtherObject, isToolHiveObject, readOtherObject, readToolHiveObject } from './forms/toolhive-objects.ts';
import { isVmcpConfig, LOST_OF_VMCP, readVmcpConfig } from './forms/vmcp-config.ts';
import type { FoundServers } from './found.ts';
import { readValues } from './read-file.ts';

interface Form {
  fits(value: unknown): boolean;
  read(value: unknown): FoundServers;
  /** Members that are not converted, with the reasons, as listed in `docs/import.md`. */
  readonly lost?: Readonly<Record<string, string>>;
}

/** The forms of files that can be imported. The first one that fits a file counts. */
export const FORMS: readonly Form[] = [
  { fits: isCodex, read: readCodex },
  { fits: isToolHive, read: readToolHive, lost: LOST_OF_TOOLHIVE },
  { fits: isToolHiveObject, read: readToolHiveObject },
  { fits: isAgentGateway, read: readAgentGateway, lost: { ...LOST_POLICIES, ...LOST_OF_LISTENERS } },
  { fits: isDockerCatalog, read: readDockerCatalog, lost: LOST_OF_CATALOG },
  { fits: isVmcpConfig, read: readVmcpConfig, lost: LOST_OF_VMCP },
  { fits: isMcpJson, read: readMcpJson, lost: LOST_OF_CLIENTS },
];

/** Allowed only next to objects of ToolHive: a file of other objects is not a configuration. */
const OTHER: Form = { fits: isOtherObject, read: readOtherObject };

/** @throws UsageError for a file that cannot be read, or of an unknown program */
export function readImportedFile(file: string): readonly FoundServers[] {
  const values = readValues(file)
    .flatMap(listItems)
    .filter(value => value !== undefined && value !== null);
  const forms = values.some(isToolHiveObject) ? [...FORMS, OTHER] : FORMS;
  const found = values.map(value => forms.find(form => form.fits(value))?.read(value));
  const known = found.filter(foundServers => foundServers !== undefined);
  if (known.length === 0 || known.length < found.length) {
    const hint = values.map(findHint).find(text => text !== undefined) ?? 'see `lintel import --help`';
    throw new UsageError(`${file}: this is no configuration that \`lintel import\` knows: ${hint}`);
  }
  return known;
}

/** Members that identify the program of a file. */
const SIGNS = ['mcpServers', 'servers', 'mcp_servers', 'registry', 'binds', 'schema_version'];

/** The likely intention behind a handwritten file. */
function findHint(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  for (const name of Object.keys(value)) {
    const meant = findNearest(name, SIGNS);
    if (meant !== undefined)
      return meant === name ? `${name} holds no names with servers` : `${name} looks like a misspelt ${meant}`;
  }
  if ('image' in value && 'transport' in value)
    return 'a run configuration of ToolHive has schema_version, as `thv export` writes it';
  if (isObject(value.mcp))
    return 'mcp has neither servers, as VS Code has them, nor a list of targets, as agentgateway has it';
  const looksLikeServers = Object.values(value).some(
    element => isObject(element) && ['command', 'url'].some(name => name in element),
  );
  return looksLikeServers || 'command' in value
    ? 'servers of a client stand by their names below mcpServers'
    : undefined;
}

/** `kubectl get -o yaml` writes a list. */
function listItems(value: unknown): readonly unknown[] {
  if (!isObject(value) || typeof value.kind !== 'string' || !value.kind.endsWith('List')) return [value];
  return Array.isArray(value.items) ? value.items : [value];
}
