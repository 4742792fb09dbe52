/** Specs of an embedded authorization server with some fields, as an object of its own (they start on line 9, column 5) and in a gateway. */
import { gateway, object } from './rule.ts';

const ISSUER = 'issuer: https://auth.example.com';
const UPSTREAM = '{ name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: c } }';

export function authServer(fields: string): string {
  return object(
    'MCPExternalAuthConfig',
    `
  type: embeddedAuthServer
  embeddedAuthServer:
    ${ISSUER}
    upstreamProviders: [${UPSTREAM}]
    ${fields}`,
  );
}

export function gatewayWithAuthServer(fields: string): string {
  return gateway(`incomingAuth: { type: anonymous }
  authServerConfig:
    ${ISSUER}
    upstreamProviders: [${UPSTREAM}]
    ${fields}`);
}
