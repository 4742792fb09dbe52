import { expect, test } from 'vitest';
import { gateway, judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'both, or neither',
    [
      gateway('incomingAuth: { type: anonymous }'),
      gateway('incomingAuth: { type: oidc, authzConfigRef: { name: p } }'),
    ],
    [],
  ],
  [
    'callers without policies',
    [gateway('incomingAuth: { type: oidc }')],
    ['LNT4005 hint 6:25 without authzConfig every authenticated caller may call every tool'],
  ],
  [
    'policies without callers',
    [
      gateway('incomingAuth: { type: anonymous, authzConfigRef: { name: p } }'),
      gateway('incomingAuth: { type: anonymous, authzConfig: { type: inline, inline: { policies: [p] } } }'),
    ],
    [
      'LNT4006 warning 6:36 authzConfigRef has policies about callers, and no caller signs in: incomingAuth.type is anonymous',
      'LNT4006 warning 13:36 authzConfig has policies about callers, and no caller signs in: incomingAuth.type is anonymous',
    ],
  ],
  [
    'policies that tell callers apart',
    [
      'principal in Group::"eng", action, resource',
      'principal, action, resource);permit(principal, action, resource) when { context has claim_a }; permit(principal, action, resource',
    ]
      .map(head => `permit(${head});`)
      .map(policy =>
        gateway(
          `incomingAuth: { type: anonymous, authzConfig: { type: inline, inline: { policies: [${JSON.stringify(policy)}] } } }`,
        ),
      ),
    [
      'LNT4006 warning 6:36 authzConfig has policies about callers, and no caller signs in: incomingAuth.type is anonymous',
      'LNT4006 warning 13:36 authzConfig has policies about callers, and no caller signs in: incomingAuth.type is anonymous',
    ],
  ],
  [
    'policies about tools alone',
    [
      gateway(
        `incomingAuth: { type: anonymous, authzConfig: { type: inline, inline: { policies: ['permit(principal, action, resource == Tool::"a");'] } } }`,
      ),
    ],
    [],
  ],
])('%s', (_, objects, expected) => {
  expect(judge('authorizationPresence', ...objects)).toEqual(expected);
});
