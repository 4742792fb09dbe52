/** A CEL matcher that the compiler cannot check never counts as valid. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';

const config = (matcher: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: aws }
spec:
  type: awsSts
  awsSts:
    region: eu-central-1
    roleMappings:
      - { matcher: '${matcher}', roleArn: 'arn:aws:iam::123456789012:role/reader' }
`;

test.each([
  ['known(claims)', ['LNT1020'], false],
  ['claims.sub == "a"', [], true],
  ['claim.sub == "a"', ['LNT1045'], true],
])('lintel check of an AWS role matcher %s gives the codes %j, and is complete: %s', (matcher, codes, complete) => {
  const sources = readTexts([new SourceText('aws.yaml', config(matcher))]);
  const { findings, checked } = compile(sources, {
    purpose: 'check',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  expect(findings.diagnostics.map(({ code }) => code)).toEqual(codes);
  expect(checked.complete).toBe(complete);
});
