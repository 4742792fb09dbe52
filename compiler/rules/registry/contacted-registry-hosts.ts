import type { PrivateDenial } from '#schemas';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { checkContacted, checkDenied } from '../contacted-hosts.ts';
import { REGISTRY_URL_FIELDS } from '../support/url-fields.ts';

/** A registry server must not connect to a metadata service or another forbidden address. */
export function contactedRegistryHosts({ document, config }: RegistryDocument): Diagnostic[] {
  return checkContacted(document, config, [], REGISTRY_URL_FIELDS);
}

/** Upstreams must not have private addresses when an operator denies them. */
export function checkDeniedRegistryHosts(
  { document, config }: RegistryDocument,
  denial: PrivateDenial | undefined,
): Diagnostic[] {
  return checkDenied(document, config, [], REGISTRY_URL_FIELDS, denial);
}
