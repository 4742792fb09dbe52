/** Matchers are CEL expressions over the claims of a token that yield a boolean. */
import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

const role = 'arn:aws:iam::123456789012:role/reader';
const aws = (matcher: string) =>
  object(
    'MCPExternalAuthConfig',
    `\n  type: awsSts\n  awsSts:\n    region: us-east-1\n    roleMappings:\n      - { roleArn: '${role}', matcher: ${matcher} }`,
  );
const actor = (matcher: string) =>
  object(
    'MCPExternalAuthConfig',
    `\n  type: embeddedAuthServer\n  embeddedAuthServer:\n    issuer: https://a.example.com\n    upstreamProviders: [{ name: o, type: oidc, oidcConfig: { issuerUrl: https://o.example.com, clientId: c } }]\n    trustedIssuers:\n      - { issuerUrl: https://b.example.com, expectedAudience: x, allowedDelegateClients: [c], actorMatcher: ${matcher} }`,
  );

test.each<[string, string[], string[]]>([
  [
    'valid matchers over claims',
    [
      aws('claims.sub == "a"'),
      aws('"\\"x\\" in claims.groups"'),
      aws('\'claims.groups.exists(g, g == "x") && has(claims.email)\''),
      aws('\'claims.email.matches("^(a+)+@example[.]com$")\''),
      aws('\'[1, "a"].size() == claims.level\''),
    ],
    [],
  ],
  [
    'matchers that do not parse',
    [aws('claims.sub =='), aws("'claims.sub = ''a'''"), aws('"claims.sub == \\"a\\" &&"'), aws('"claims.sub\\n =="')],
    [
      'LNT1045 error 9:83 unexpected token: EOF',
      'LNT1045 error 19:82 unexpected character: =',
      'LNT1045 error 29:93 unexpected token: EOF',
      'LNT1045 error 39:86 unexpected token: EOF',
    ],
  ],
  [
    'unknown variables',
    [aws('clams.sub == "a"'), aws('\'claims.groups.exists(g, h == "x")\''), aws('self.x')],
    [
      'LNT1045 error 9:70 unknown variable: clams',
      'LNT1045 error 19:95 unknown variable: h',
      'LNT1045 error 29:70 unknown variable: self',
    ],
  ],
  [
    'matchers that give no Boolean',
    [aws('size(claims.groups)'), aws('claims.sub + "x"'), aws('1 + "a" == 2'), aws('"\\"a\\" && true"')],
    [
      'LNT1045 error 9:70 the expression must be true or false, and is of type int',
      'LNT1045 error 19:70 the expression must be true or false, and is of type string',
      'LNT1045 error 29:70 no such overload: int + string',
      "LNT1045 error 39:71 logical operator requires bool operands, got 'string'",
    ],
  ],
  [
    'a claim as the whole matcher',
    [aws('claims.admin')],
    [
      'LNT1045 warning 9:70 the type of this value is not known, so it may be neither true nor false: compare it with a value',
    ],
  ],
  [
    'unknown functions',
    [aws('is_admin(claims) || is_admin(claims) || claims.sub.soundex() == "x"'), aws("'size(1, 2) == 3'")],
    [
      'LNT1020 warning 9:70 a matcher was not checked: the function is_admin() is not known here',
      'LNT1020 warning 9:110 a matcher was not checked: the function soundex() is not known here',
      "LNT1045 error 19:71 found no matching overload for 'size(int, int)'",
    ],
  ],
  [
    'an unknown variable inside of an unknown function',
    [aws('is_admin(clams)')],
    [
      'LNT1020 warning 9:70 a matcher was not checked: the function is_admin() is not known here',
      'LNT1045 error 9:79 unknown variable: clams',
    ],
  ],
  [
    'patterns that RE2 does not know',
    [
      aws('\'claims.sub.matches("(?=a)")\''),
      aws('\'claims.sub.matches("(a")\''),
      aws("'claims.sub.matches(claims.pattern)'"),
    ],
    [
      'LNT1045 error 9:90 RE2, whose regular expressions CEL uses, does not know this pattern',
      'LNT1045 error 19:90 RE2, whose regular expressions CEL uses, does not know this pattern',
    ],
  ],
  [
    'matchers that are too long, too deep or too large',
    [
      aws(`'${'!'.repeat(4000)}true'`),
      aws(`'${'('.repeat(300)}true${')'.repeat(300)}'`),
      aws(`'${'true||'.repeat(1000)}true'`),
    ],
    [
      'LNT1020 warning 9:71 a matcher was not checked: the expression is nested too deep or too large',
      'LNT1020 warning 19:71 a matcher was not checked: the expression is nested too deep or too large',
      'LNT1020 warning 29:71 a matcher was not checked: the expression has more than 4096 characters',
    ],
  ],
  [
    'variables of an actorMatcher',
    [actor('claims.azp == "ci"'), actor('actor.startsWith("ci")'), actor('claims.azp ==')],
    [
      'LNT1020 warning 21:109 a matcher was not checked: unknown variable: actor',
      'LNT1045 error 32:122 unexpected token: EOF',
    ],
  ],
  [
    'matchers in spec.config',
    [
      gatewayConfig(
        `{ outgoingAuth: { source: inline, default: { type: aws_sts, awsSts: { region: us-east-1, roleMappings: [{ roleArn: '${role}', matcher: claim.sub }] } } } }`,
      ),
    ],
    ['LNT1045 error 7:176 unknown variable: claim'],
  ],
])('the rule matchers gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('matchers', ...objects)).toEqual(expected);
});
