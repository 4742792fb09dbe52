/**
 * The leaves of backend credentials. Credentials cannot be ranked, so every change needs a look. Each leaf says which alarm its change raises, or
 * why it raises none.
 */
import type { Alarm } from '../difference/difference.ts';
import { at, type CredentialLeaf, type CredentialLeaves, credential, type LeafChange } from './leaf.ts';

function alarming(alarm: Alarm, part?: string, shown?: 'url'): CredentialLeaf {
  return { ...credential(shown), alarm: () => alarm, ...(part === undefined ? {} : { part }) };
}

const calm = (why: string): CredentialLeaf => ({ ...credential(), calm: why });

/** Another secret, by its reference. */
export const otherSecret = (part?: string): CredentialLeaf => alarming('otherSecret', part);

export const secretLeaves = (part?: string): CredentialLeaves => ({
  '.env': otherSecret(part),
  '.file': otherSecret(part),
});

const client = (whose = ''): CredentialLeaves => ({
  '': otherSecret(`client${whose}`),
  '.id': otherSecret(`client${whose}`),
  ...at('.secret', secretLeaves(`client secret${whose}`)),
});

/** Without any scope, an authorization server gives what it gives by default, which may be everything. */
function moreScopes({ was, is }: LeafChange): Alarm | undefined {
  const [old, now] = [was, is].map(scopes => (Array.isArray(scopes) ? scopes : []));
  const isLess = now !== undefined && now.length > 0 && now.every(scope => old?.includes(scope) === true);
  return isLess && old !== undefined && old.length > 0 ? undefined : 'otherRights';
}

function longer({ was, is }: LeafChange): Alarm | undefined {
  return typeof was === 'number' && typeof is === 'number' && is < was ? undefined : 'otherRights';
}

export const OUTGOING_LEAVES: CredentialLeaves = {
  '.type': alarming('otherCredential'),
  '.header': alarming('otherCredential', 'header'),
  '.scheme': calm('the same secret reaches the same server in the same header'),
  ...at('.value', secretLeaves('header value')),
  '.tokenUrl': alarming('otherEndpoint', 'endpoint', 'url'),
  ...at('.client', client()),
  '.audience': alarming('otherRights', 'audience'),
  '.resource': alarming('otherRights', 'resource'),
  '.scopes': { ...credential(), part: 'scopes', alarm: moreScopes },
  '.subjectTokenType': alarming('otherCredential', 'type of the token that is handed in'),
  '.subject.type': alarming('otherCredential', 'token that is handed in'),
  '.subject.provider': alarming('otherCredential', 'upstream'),
  '.provider': alarming('otherCredential', 'upstream'),
  '.region': alarming('otherRights', 'region'),
  '.service': alarming('otherRights', 'service'),
  '.mappings[]': alarming('otherRights'),
  // The first mapping that fits gives the role.
  '.mappings[#]': alarming('otherRights'),
  '.mappings[].type': alarming('otherRights'),
  '.mappings[].value': alarming('otherRights'),
  '.mappings[].expression': alarming('otherRights'),
  '.mappings[].roleArn': alarming('otherRights'),
  '.fallbackRoleArn': alarming('otherRights', 'role without a mapping'),
  '.roleClaim': alarming('otherRights', 'claim of roles'),
  '.sessionDurationSeconds': { ...credential(), part: 'seconds of a session', alarm: longer },
  '.sessionNameClaim': alarming('otherRights', 'claim that names the session'),
  '.stsUrl': alarming('otherEndpoint', 'endpoint', 'url'),
  '.cacheSkewSeconds': calm('how early a token is renewed changes neither the token nor who gets it'),
  '.idp.tokenUrl': alarming('otherEndpoint', 'endpoint of the identity provider', 'url'),
  ...at('.idp.client', client(' of the identity provider')),
  '.target.tokenUrl': alarming('otherEndpoint', 'endpoint', 'url'),
  ...at('.target.client', client()),
  '.target.audience': alarming('otherRights', 'audience'),
  '.target.resource': alarming('otherRights', 'resource'),
};
