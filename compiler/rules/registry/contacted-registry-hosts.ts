import type { PrivateDenial } from '#schemas';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { checkContacted, checkDenied } from '../contacted-hosts.ts';
import { REGISTRY_URL_FIELDS } from '../support/url-fields.ts';

/**
 * A registry server must not connect to a metadata service or another forbidden address.
 *
 * @holds config.aggregation, backends | every field with an address that is contacted | no address of a metadata service, and no link-local,
 *   unspecified, multicast, documentation or reserved address; for identity providers, OAuth 2 upstreams and trusted issuers no private address
 *   without the field that allows it; a warning for a name that usually resolves to one | LNT6010
 * @holds config.aggregation, backends | every field with an address that is contacted, with `denyPrivateBackends` or `--deny-private-backends`
 *   | no backend, token endpoint or upstream registry at a private or loopback address, except those that are listed | LNT6010
 */
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
