/**
 * The leaves of backend credentials. Credentials cannot be ranked, so every change needs a look. Each leaf says which alarm its change raises, or
 * why it raises none.
 */
import type { Alarm } from '../difference/difference.ts';
import { type CredentialLeaf, type CredentialLeaves, credential, type LeafChange, prefixLeaves } from './leaf.ts';

function toAlarmingLeaf(alarm: Alarm, part?: string, shown?: 'url'): CredentialLeaf {
  return { ...credential(shown), alarm: () => alarm, ...(part === undefined ? {} : { part }) };
}

const toHarmlessLeaf = (why: string): CredentialLeaf => ({ ...credential(), calm: why });

/** The leaf of a reference to a secret: another reference means another secret. */
export const toOtherSecretLeaf = (part?: string): CredentialLeaf => toAlarmingLeaf('otherSecret', part);

export const listSecretLeaves = (part?: string): CredentialLeaves => ({
  '.env': toOtherSecretLeaf(part),
  '.file': toOtherSecretLeaf(part),
});

const listClientLeaves = (whose = ''): CredentialLeaves => ({
  '': toOtherSecretLeaf(`client${whose}`),
  '.id': toOtherSecretLeaf(`client${whose}`),
  ...prefixLeaves('.secret', listSecretLeaves(`client secret${whose}`)),
});

/** The alarm for a credential with more scopes. Without any scopes, an authorization server grants its default scopes, which may be all. */
export function findAddedScopes({ was, is }: LeafChange): Alarm | undefined {
  const [old, now] = [was, is].map(scopes => (Array.isArray(scopes) ? scopes : []));
  const isLess = now !== undefined && now.length > 0 && now.every(scope => old?.includes(scope) === true);
  return isLess && old !== undefined && old.length > 0 ? undefined : 'otherRights';
}

function findLongerDuration({ was, is }: LeafChange): Alarm | undefined {
  return typeof was === 'number' && typeof is === 'number' && is < was ? undefined : 'otherRights';
}

export const OUTGOING_LEAVES: CredentialLeaves = {
  '.type': toAlarmingLeaf('otherCredential'),
  '.header': toAlarmingLeaf('otherCredential', 'header'),
  '.scheme': toHarmlessLeaf('the same secret reaches the same server in the same header'),
  ...prefixLeaves('.value', listSecretLeaves('header value')),
  '.tokenUrl': toAlarmingLeaf('otherEndpoint', 'endpoint', 'url'),
  ...prefixLeaves('.client', listClientLeaves()),
  '.audience': toAlarmingLeaf('otherRights', 'audience'),
  '.resource': toAlarmingLeaf('otherRights', 'resource'),
  '.scopes': { ...credential(), part: 'scopes', alarm: findAddedScopes },
  '.subjectTokenType': toAlarmingLeaf('otherCredential', 'type of the token that is handed in'),
  '.subject.type': toAlarmingLeaf('otherCredential', 'token that is handed in'),
  '.subject.provider': toAlarmingLeaf('otherCredential', 'upstream'),
  '.provider': toAlarmingLeaf('otherCredential', 'upstream'),
  '.region': toAlarmingLeaf('otherRights', 'region'),
  '.service': toAlarmingLeaf('otherRights', 'service'),
  '.mappings[]': toAlarmingLeaf('otherRights'),
  // The first mapping that fits gives the role.
  '.mappings[#]': toAlarmingLeaf('otherRights'),
  '.mappings[].type': toAlarmingLeaf('otherRights'),
  '.mappings[].value': toAlarmingLeaf('otherRights'),
  '.mappings[].expression': toAlarmingLeaf('otherRights'),
  '.mappings[].roleArn': toAlarmingLeaf('otherRights'),
  '.fallbackRoleArn': toAlarmingLeaf('otherRights', 'role without a mapping'),
  '.roleClaim': toAlarmingLeaf('otherRights', 'claim of roles'),
  '.sessionDurationSeconds': { ...credential(), part: 'seconds of a session', alarm: findLongerDuration },
  '.sessionNameClaim': toAlarmingLeaf('otherRights', 'claim that names the session'),
  '.stsUrl': toAlarmingLeaf('otherEndpoint', 'endpoint', 'url'),
  '.cacheSkewSeconds': toHarmlessLeaf('how early a token is renewed changes neither the token nor who gets it'),
  '.idp.tokenUrl': toAlarmingLeaf('otherEndpoint', 'endpoint of the identity provider', 'url'),
  ...prefixLeaves('.idp.client', listClientLeaves(' of the identity provider')),
  '.target.tokenUrl': toAlarmingLeaf('otherEndpoint', 'endpoint', 'url'),
  ...prefixLeaves('.target.client', listClientLeaves()),
  '.target.audience': toAlarmingLeaf('otherRights', 'audience'),
  '.target.resource': toAlarmingLeaf('otherRights', 'resource'),
};
