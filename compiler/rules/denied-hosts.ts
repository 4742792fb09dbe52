import type { PrivateDenial } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { deniedFindings } from './contacted-hosts.ts';
import { URL_FIELDS } from './support/url-fields.ts';

/** Token endpoints at private addresses, where an operator denies them. Backends are judged with their gateway. */
export function deniedHosts({ kind, spec, document }: Resource, denial: PrivateDenial | undefined): Diagnostic[] {
  return deniedFindings(document, spec, ['spec'], URL_FIELDS[kind] ?? {}, denial);
}
