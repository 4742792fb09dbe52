import { findRefusedHost, isObject, type PrivateDenial } from '#schemas';
import { classifyHost } from '../analysis/registry/host-kind.ts';
import { classifyPublicReach } from '../analysis/registry/public-reach.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import { type ContactedField, URL_FIELDS, type UrlField } from './support/url-fields.ts';

/**
 * A spec must not make Lintel connect to a metadata service or another forbidden address, and an identity provider may have a private address
 * only if the spec allows it. This rule checks literal addresses; the runtime checks every address that a name resolves to, so a possibly public
 * name is not an error.
 *
 * @holds config.aggregation, backends | every field with an address that is contacted | no address of a metadata service, and no link-local,
 *   unspecified, multicast, documentation or reserved address; for identity providers, OAuth 2 upstreams and trusted issuers no private address
 *   without the field that allows it; a warning for a name that usually resolves to one | LNT6010
 */
export function contactedHosts({ kind, spec, document }: Resource): Diagnostic[] {
  return checkContacted(document, spec, ['spec'], URL_FIELDS[kind] ?? {});
}

interface WrittenUrl {
  readonly text: string;
  readonly path: Path;
  /** The parents of a field up to the root, innermost first. */
  readonly holders: readonly UrlHolder[];
}

interface UrlHolder {
  readonly [field: string]: unknown;
}

/** Findings about the addresses in these fields. */
export function checkContacted(
  document: ResourceDocument,
  root: object,
  rootPath: Path,
  fields: { readonly [path: string]: UrlField },
): Diagnostic[] {
  return Object.entries(fields).flatMap(([pattern, field]) => {
    if (!field.contacted || field.private === 'own rule') return [];
    return listUrlsAt(root, pattern.split('.'), rootPath).flatMap(writtenUrl => checkUrl(document, writtenUrl, field));
  });
}

function checkUrl(document: ResourceDocument, writtenUrl: WrittenUrl, field: ContactedField): Diagnostic[] {
  const { text, path, holders } = writtenUrl;
  if (field.comparedBeside !== undefined && holders[0]?.[field.comparedBeside]) return [];
  const host = findHost(text);
  if (host === undefined) return [];
  const name = formatFieldName(path);
  const refusal = findRefusedHost(host, 'any');
  if (refusal !== undefined) {
    const message = `${name} points to "${host}", which a gateway never contacts: ${refusal}`;
    return [diagnose(document, 'LNT6010', path, message)];
  }
  if (typeof field.private === 'string') return [];
  const { unless, includesPlatform, allows } = field.private;
  const isPlatform = classifyHost(text) === 'platform';
  if (holders.some(holder => holder[unless] === true)) {
    const reason = allows === 'private' && !isPlatform ? findRefusedHost(host, allows) : undefined;
    if (reason === undefined) return [];
    const message = `${name} points to "${host}", which is not contacted even with ${unless}: ${reason}`;
    return [diagnose(document, 'LNT6010', path, message)];
  }
  // On this machine, an issuer may be the gateway's own authorization server. Another rule checks providers that are the API server.
  const reach = isPlatform && !includesPlatform ? 'reached' : classifyPublicReach(text);
  if (reach === 'reached') return [];
  const fix = `set ${unless} to true if the address is correct`;
  if (reach === 'refused') {
    const message = `${name} points to the private address "${host}", and connections to private addresses are refused`;
    return [diagnose(document, 'LNT6010', path, message, { fix })];
  }
  const message = `${name} points to "${host}": such a name usually leads to a private address, and connections to private addresses are refused`;
  return [diagnose(document, 'LNT6010', path, message, { severity: 'warning', fix })];
}

/** Findings about private addresses in these fields that the operator denies; other rules report addresses that are always forbidden. */
export function checkDenied(
  document: ResourceDocument,
  root: object,
  rootPath: Path,
  fields: { readonly [path: string]: UrlField },
  denial: PrivateDenial | undefined,
): Diagnostic[] {
  if (denial === undefined) return [];
  return Object.entries(fields).flatMap(([pattern, field]) => {
    if (!field.contacted || field.deniable !== true) return [];
    return listUrlsAt(root, pattern.split('.'), rootPath).flatMap(({ text, path }) =>
      checkDeniedHost(document, path, findHost(text) ?? '', denial),
    );
  });
}

/** @param host of a URL; a name that only DNS can resolve is checked when connecting */
export function checkDeniedHost(
  document: ResourceDocument,
  path: Path,
  host: string,
  denial: PrivateDenial,
): Diagnostic[] {
  if (findRefusedHost(host, 'any') !== undefined || findRefusedHost(host, 'any', denial) === undefined) return [];
  const message = `${formatFieldName(path)} leads to the private address "${host}", and private backends are denied`;
  const fix =
    'add the host to privateBackends in lintel.yaml, or to --private-backend of the controller, if the address is correct';
  return [diagnose(document, 'LNT6010', path, message, { fix })];
}

/** Texts at a path pattern; `*` stands for each index or key. */
function listUrlsAt(
  value: unknown,
  pattern: readonly string[],
  path: Path,
  outer: readonly UrlHolder[] = [],
): WrittenUrl[] {
  const [member, ...rest] = pattern;
  if (member === undefined || value === null || typeof value !== 'object') return [];
  if (member === '*') {
    const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    return entries.flatMap(([key, inner]) =>
      listUrlsBelow([value as UrlHolder, ...outer], inner, rest, [...path, key]),
    );
  }
  return isObject(value) ? listUrlsBelow([value, ...outer], value[member], rest, [...path, member]) : [];
}

function listUrlsBelow(holders: readonly UrlHolder[], inner: unknown, rest: readonly string[], at: Path): WrittenUrl[] {
  if (rest.length > 0) return listUrlsAt(inner, rest, at, holders);
  return typeof inner === 'string' ? [{ text: inner, path: at, holders }] : [];
}

/** The host of a URL, of `host:port`, or of a Git address such as `git@host:team/specs`; undefined for other texts. */
function findHost(text: string): string | undefined {
  if (text.includes('://')) return URL.parse(text)?.hostname || undefined;
  const scp = /^[^@/:]+@([^:/]+):/.exec(text)?.[1];
  return scp ?? (URL.parse(`http://${text}`)?.hostname || undefined);
}

function formatFieldName(path: Path): string {
  return String(path.findLast(member => typeof member === 'string'));
}
