import type { PrivateDenial } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { checkDenied } from './contacted-hosts.ts';
import { URL_FIELDS } from './support/url-fields.ts';

/**
 * Token endpoints must not be private when an operator denies private addresses. Other rules check backends together with their gateway.
 *
 * @holds config.aggregation, backends | every field with an address that is contacted, with `denyPrivateBackends` or `--deny-private-backends`
 *   | no backend, token endpoint or upstream registry at a private or loopback address, except those that are listed | LNT6010
 * @apart the denial is a setting of the compilation
 */
export function deniedHosts({ kind, spec, document }: Resource, denial: PrivateDenial | undefined): Diagnostic[] {
  return checkDenied(document, spec, ['spec'], URL_FIELDS[kind] ?? {}, denial);
}
