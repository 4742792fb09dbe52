/**
 * Recognizes the configuration of a registry server. It has no API version, no kind and only common keys, and folders also contain chart values,
 * workflows and other YAML that must be ignored. So a document counts as a configuration
 *
 * - when two of the sections `sources`, `registries` and `auth` have the right form, or
 * - when `auth.oauth.providers` lists an issuer, or
 * - in a file that the user named: when one section has the right form, and all keys are known.
 *
 * A misspelt section counts as well, so that the schema can report the misspelling.
 */
import { FILE_SCHEMAS, getMember, isObject } from '#schemas';
import { findNearest } from '#shared/util';
import type { SourceDocument } from './source-document.ts';

/** The kind in findings. */
export const REGISTRY_CONFIG_KIND = 'RegistryConfig';

const FIELDS = Object.keys(FILE_SCHEMAS.RegistryConfig.properties ?? {});

const SOURCE_TYPES = ['git', 'api', 'file', 'managed', 'kubernetes'];

const SIGNS: readonly (readonly [section: string, fits: (value: unknown) => boolean])[] = [
  ['sources', value => hasItem(value, item => SOURCE_TYPES.some(type => isObject(getMember(item, type))))],
  ['registries', value => hasItem(value, item => Array.isArray(getMember(item, 'sources')))],
  ['auth', isAuth],
];

/** @param isNamed whether the file was an argument, as opposed to found in a folder */
export function isRegistryConfig(value: unknown, isNamed: boolean): boolean {
  if (!isObject(value) || Object.hasOwn(value, 'apiVersion') || Object.hasOwn(value, 'kind')) return false;
  const signs = SIGNS.filter(([section, fits]) => fits(findSection(value, section))).length;
  if (signs >= 2 || listsIssuer(findSection(value, 'auth'))) return true;
  return isNamed && signs === 1 && Object.keys(value).every(key => findNearest(key, FIELDS) !== undefined);
}

/** `registryName`, or the file's name converted to a valid name. */
export function getConfigName({ value, file }: SourceDocument): string {
  const registryName = getMember(value, 'registryName');
  if (typeof registryName === 'string' && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(registryName))
    return registryName;
  const base = file.replace(/^.*\//s, '').replace(/\.[^.]*$/s, '');
  const name = base
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-|-$/g, '');
  return name === '' || file.startsWith('<') ? 'registry' : name;
}

function isAuth(value: unknown): boolean {
  const mode = getMember(value, 'mode');
  const oauth = getMember(value, 'oauth');
  return (
    mode === 'oauth' ||
    mode === 'anonymous' ||
    Array.isArray(getMember(oauth, 'providers')) ||
    typeof getMember(oauth, 'resourceUrl') === 'string'
  );
}

function listsIssuer(auth: unknown): boolean {
  return hasItem(
    getMember(getMember(auth, 'oauth'), 'providers'),
    item => typeof getMember(item, 'issuerUrl') === 'string',
  );
}

function hasItem(list: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(list) && list.some(fits);
}

function findSection(value: Readonly<Record<string, unknown>>, section: string): unknown {
  if (Object.hasOwn(value, section)) return value[section];
  const misspelt = Object.keys(value).find(key => findNearest(key, [section]) !== undefined);
  return misspelt === undefined ? undefined : value[misspelt];
}
