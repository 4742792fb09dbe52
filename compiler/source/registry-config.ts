/**
 * How the configuration of a registry server is recognized. It has no API version, no kind and common keys, and
 * folders hold values of charts, workflows and much else that must be left alone. So a document counts as one
 *
 * - when two of the sections `sources`, `registries` and `auth` have the shape that they have there, or
 * - when `auth.oauth.providers` lists an issuer, or
 * - in a file that the user named: when one of the sections has its shape, and every key is one of the configuration's.
 *
 * A misspelt section counts like the right one, so the schema can say what is wrong with it.
 */
import { FILE_SCHEMAS, getMember, isObject } from '#schemas';
import { nearest } from '../text/nearest.ts';
import type { SourceDocument } from './source-document.ts';

/** As the kind of an object in findings. */
export const REGISTRY_CONFIG_KIND = 'RegistryConfig';

const FIELDS = Object.keys(FILE_SCHEMAS.RegistryConfig.properties ?? {});

const SOURCE_TYPES = ['git', 'api', 'file', 'managed', 'kubernetes'];

const SIGNS: readonly (readonly [section: string, fits: (value: unknown) => boolean])[] = [
  ['sources', value => hasItem(value, item => SOURCE_TYPES.some(type => isObject(getMember(item, type))))],
  ['registries', value => hasItem(value, item => Array.isArray(getMember(item, 'sources')))],
  ['auth', isAuth],
];

/** @param isNamed was the file named, rather than found in a folder? */
export function isRegistryConfig(value: unknown, isNamed: boolean): boolean {
  if (!isObject(value) || Object.hasOwn(value, 'apiVersion') || Object.hasOwn(value, 'kind')) return false;
  const signs = SIGNS.filter(([section, fits]) => fits(findSection(value, section))).length;
  if (signs >= 2 || listsIssuer(findSection(value, 'auth'))) return true;
  return isNamed && signs === 1 && Object.keys(value).every(key => nearest(key, FIELDS) !== undefined);
}

/** `registryName`, or the name of the file as far as it can be one. */
export function configName({ value, file }: SourceDocument): string {
  const given = getMember(value, 'registryName');
  if (typeof given === 'string' && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(given)) return given;
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
  const misspelt = Object.keys(value).find(key => nearest(key, [section]) !== undefined);
  return misspelt === undefined ? undefined : value[misspelt];
}
