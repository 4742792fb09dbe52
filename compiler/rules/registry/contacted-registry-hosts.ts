import type { PrivateDenial } from '#schemas';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { contactedFindings, deniedFindings } from '../contacted-hosts.ts';
import { REGISTRY_URL_FIELDS } from '../support/url-fields.ts';

/** A registry server connects to no metadata service, and to no other address that no author means. */
export function contactedRegistryHosts({ document, config }: RegistryDocument): Diagnostic[] {
  return contactedFindings(document, config, [], REGISTRY_URL_FIELDS);
}

/** Nor to an upstream at a private address, where an operator denies those. */
export function deniedRegistryHosts(
  { document, config }: RegistryDocument,
  denial: PrivateDenial | undefined,
): Diagnostic[] {
  return deniedFindings(document, config, [], REGISTRY_URL_FIELDS, denial);
}
