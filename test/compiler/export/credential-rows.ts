/** Credentials of each type with everything that their constructs can express. */
import { auth, type Row, secret } from './row.ts';

const arn = 'arn:aws:iam::123456789012:role/reader';

export const credentialRows: readonly Row[] = [
  ['unauthenticated', 'OutgoingAuth.unauthenticated(', { type: 'unauthenticated' }],
  ['header', 'OutgoingAuth.header(', auth('headerInjection', { headerName: 'X-Key', valueSecretRef: secret })],
  [
    'token exchange',
    'OutgoingAuth.tokenExchange(',
    auth('tokenExchange', {
      tokenUrl: 'https://id.example/token',
      audience: 'a',
      clientId: 'c',
      clientSecretRef: secret,
      scopes: ['s'],
      subjectTokenType: 'jwt',
      subjectProviderName: 'corp',
    }),
  ],
  ['upstream', 'OutgoingAuth.upstreamInject(', auth('upstreamInject', { providerName: 'corp' })],
  [
    'AWS',
    'OutgoingAuth.awsSts(',
    auth('awsSts', {
      region: 'us-gov-west-1',
      service: 's',
      fallbackRoleArn: arn,
      roleMappings: [
        { claim: 'a', roleArn: arn, priority: 1 },
        { matcher: 'claims.x == "y"', roleArn: arn },
      ],
      roleClaim: 'roles',
      sessionDuration: 900,
      sessionNameClaim: 'email',
      subjectProviderName: 'corp',
    }),
  ],
  ['AWS with one role', 'OutgoingAuth.awsSts(', auth('awsSts', { region: 'eu-central-1', fallbackRoleArn: arn })],
  [
    'on behalf of',
    'OutgoingAuth.onBehalfOf(',
    auth('obo', {
      tenantId: 'corp.example',
      authority: 'https://login.example',
      clientId: 'c',
      clientSecretRef: secret,
      scopes: ['s'],
      subjectTokenProviderName: 'corp',
      cacheSkew: '1m30s',
    }),
  ],
  [
    'on behalf of, for an audience',
    'OutgoingAuth.onBehalfOf(',
    auth('obo', { tenantId: 't', clientId: 'c', clientSecretRef: secret, audience: 'a' }),
  ],
  [
    'cross-application',
    'OutgoingAuth.crossApp(',
    auth('xaa', {
      idpTokenUrl: 'https://id.example/token',
      idpClientId: 'c',
      idpClientSecretRef: secret,
      targetTokenUrl: 'http://wiki.example/token',
      insecureTargetTokenUrl: true,
      targetClientId: 'd',
      targetClientSecretRef: secret,
      targetAudience: 'wiki',
      targetResource: 'r',
      scopes: ['s'],
      subjectProviderName: 'corp',
    }),
  ],
  ['bearer token', 'ProxyAuth.bearerToken(', auth('bearerToken', { tokenSecretRef: secret })],
].map(([name, says, spec]) => ({ name, kind: 'MCPExternalAuthConfig', says, spec }) as Row);
