import { expect, test } from 'vitest';
import { gateway, judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'tokens with policies, and anonymous callers without policies',
    [
      gateway('incomingAuth: { type: anonymous }'),
      gateway('incomingAuth: { type: oidc, authzConfigRef: { name: p } }'),
    ],
    [],
  ],
  [
    'tokens without policies',
    [gateway('incomingAuth: { type: oidc }')],
    ['LNT4005 hint 6:25 without authzConfig every authenticated caller may call every tool'],
  ],
  [
    'policies for anonymous callers',
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
    'policies that depend on the caller at an anonymous gateway',
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
      'LNT4006 warning 6:87 policy0 permits nothing: it requires principal in Group::"eng", and no caller signs in: incomingAuth.type is anonymous',
      'LNT4006 warning 13:123 policy1 permits nothing: it requires context has claim_a, and no caller signs in: incomingAuth.type is anonymous',
    ],
  ],
  [
    'a policy that anonymous callers may meet, and a forbid',
    [
      gateway(
        `incomingAuth: { type: anonymous, authzConfig: { type: inline, inline: { policies: ['@id("mine") permit(principal, action, resource) when { principal == Client::"anonymous" };', 'forbid(principal in Group::"eng", action, resource);'] } } }`,
      ),
    ],
    [
      'LNT4006 warning 6:87 mine depends on the caller, and no caller signs in: incomingAuth.type is anonymous',
      'LNT4006 warning 6:181 policy1 forbids nothing: it requires principal in Group::"eng", and no caller signs in: incomingAuth.type is anonymous',
    ],
  ],
  [
    'a group of which the entities make every caller a member',
    [
      gateway(
        `incomingAuth: { type: anonymous, authzConfig: { type: inline, inline: { policies: ['permit(principal in Group::"all", action, resource);'], entitiesJson: '[{"uid":{"type":"Client","id":"anonymous"},"attrs":{},"parents":[{"type":"Group","id":"all"}]}]' } } }`,
      ),
    ],
    ['LNT4006 warning 6:87 policy0 depends on the caller, and no caller signs in: incomingAuth.type is anonymous'],
  ],
  [
    'policies about tools only',
    [
      gateway(
        `incomingAuth: { type: anonymous, authzConfig: { type: inline, inline: { policies: ['permit(principal, action, resource == Tool::"a");'] } } }`,
      ),
    ],
    [],
  ],
])('the rule authorizationPresence gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('authorizationPresence', ...objects)).toEqual(expected);
});
