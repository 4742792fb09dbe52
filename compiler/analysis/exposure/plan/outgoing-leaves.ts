/** The leaves of backend credentials. Credentials cannot be ranked, so every change needs a look. */
import { at, credential, type Leaves } from './leaf.ts';
import { SECRET_SOURCE_LEAVES } from './token-provider-leaves.ts';

const CLIENT: Leaves = { '': credential(), '.id': credential(), ...at('.secret', SECRET_SOURCE_LEAVES) };

export const OUTGOING_LEAVES: Leaves = {
  '.type': credential(),
  '.header': credential(),
  '.scheme': credential(),
  ...at('.value', SECRET_SOURCE_LEAVES),
  '.tokenUrl': credential('url'),
  ...at('.client', CLIENT),
  '.audience': credential(),
  '.resource': credential(),
  '.scopes': credential(),
  '.subjectTokenType': credential(),
  '.subject.type': credential(),
  '.subject.provider': credential(),
  '.provider': credential(),
  '.region': credential(),
  '.service': credential(),
  '.mappings[]': credential(),
  // The first mapping that fits gives the role.
  '.mappings[#]': credential(),
  '.mappings[].type': credential(),
  '.mappings[].value': credential(),
  '.mappings[].expression': credential(),
  '.mappings[].roleArn': credential(),
  '.fallbackRoleArn': credential(),
  '.roleClaim': credential(),
  '.sessionDurationSeconds': credential(),
  '.sessionNameClaim': credential(),
  '.stsUrl': credential('url'),
  '.cacheSkewSeconds': credential(),
  '.idp.tokenUrl': credential('url'),
  ...at('.idp.client', CLIENT),
  '.target.tokenUrl': credential('url'),
  ...at('.target.client', CLIENT),
  '.target.audience': credential(),
  '.target.resource': credential(),
};
