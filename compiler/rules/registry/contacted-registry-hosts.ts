import type { PrivateDenial } from '#schemas';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { contactedFindings, deniedFindings } from '../contacted-hosts.ts';
import { REGISTRY_URL_FIELDS } from '../support/url-fields.ts';

/** A registry server must not connect to a metadata service or another forbidden address. */
export function contactedRegistryHosts({ document, config }: RegistryDocument): Diagnostic[] {
  return contactedFindings(document, config, [], REGISTRY_URL_FIELDS);
}

/** Upstreams must not have private addresses when an operator denies them. */
export function deniedRegistryHosts(
  { document, config }: RegistryDocument,
  denial: PrivateDenial | undefined,
): Diagnostic[] {
  return deniedFindings(document, config, [], REGISTRY_URL_FIELDS, denial);
}
