/** The metadata of the server (RFC 8414, OpenID Connect Discovery 1.0), computed once. */
import { AUTH_SERVER_PATHS, type AuthServerPlan } from '#schemas';
import { JWT_BEARER_GRANT } from './delegation/jwt-bearer.ts';
import { TOKEN_EXCHANGE_GRANT } from './delegation/token-exchange.ts';

export interface MetadataDocuments {
  readonly oauth: string;
  readonly openid: string;
}

export function buildMetadataDocuments(plan: AuthServerPlan, algorithms: readonly string[]): MetadataDocuments {
  const { issuer, browserBase, scopes, registration } = plan;
  const { delegateClients, trustedIssuers } = plan;
  const hasSecrets =
    registration.allowsSecrets || registration.secretRedirectUris.length > 0 || delegateClients.length > 0;
  const oauth = {
    issuer,
    authorization_endpoint: `${browserBase}${AUTH_SERVER_PATHS.authorize}`,
    token_endpoint: `${issuer}${AUTH_SERVER_PATHS.token}`,
    jwks_uri: `${issuer}${AUTH_SERVER_PATHS.jwks}`,
    registration_endpoint: `${issuer}${AUTH_SERVER_PATHS.register}`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      ...(delegateClients.length > 0 ? [TOKEN_EXCHANGE_GRANT] : []),
      ...(trustedIssuers.some(({ assertions }) => assertions !== null) ? [JWT_BEARER_GRANT] : []),
    ],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [
      'none',
      ...(hasSecrets ? ['client_secret_basic', 'client_secret_post'] : []),
    ],
    scopes_supported: scopes,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: plan.clientDocuments !== null,
  };
  return {
    oauth: JSON.stringify(oauth),
    openid: JSON.stringify({
      ...oauth,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    }),
  };
}

/** The locations of a document about an issuer: with its path after the well-known path (RFC 8414, section 3.1), or before it. */
export function listMetadataPaths(issuer: string, document: string): readonly string[] {
  const path = new URL(issuer).pathname.replace(/\/$/, '');
  const wellKnown = `/.well-known/${document}`;
  return [...new Set([wellKnown, `${wellKnown}${path}`, `${path}${wellKnown}`])];
}
