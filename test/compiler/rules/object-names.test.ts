import { expect, test } from 'vitest';
import { findings } from '../../support/rule.ts';

const group = (metadata: object) => `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: ${JSON.stringify({ name: 'eng', ...metadata })}
spec: {}
`;
const long = (count: number) => 'x'.repeat(count);

test.each<[what: string, metadata: object, found: readonly RegExp[]]>([
  [
    'usual labels and annotations',
    { labels: { 'app.kubernetes.io/name': 'eng_1.2', tier: '' }, annotations: { note: 'a b/c !' } },
    [],
  ],
  ['labels of the maximum length', { labels: { [`${long(253)}/${long(63)}`]: long(63) } }, []],
  [
    'a label name with a space',
    { labels: { 'team name': 'a' } },
    [/^LNT1019 the name "team name" is not a name that Kubernetes accepts/],
  ],
  [
    'an annotation name with a special character',
    { annotations: { 'bad name!': 'x' } },
    [/^LNT1019 the name "bad name!" is not/],
  ],
  [
    'a label name that is too long',
    { labels: { [long(64)]: 'a' } },
    [/^LNT1019 the name "x+" is not a name that Kubernetes accepts/],
  ],
  [
    'an annotation without a name',
    { annotations: { 'example.com/': 'a' } },
    [/^LNT1019 the name "example.com\/" is not a name that Kubernetes accepts/],
  ],
  [
    'an annotation name without a domain',
    { annotations: { '/name': 'a' } },
    [/^LNT1019 the name "\/name" has no domain/],
  ],
  [
    'a label name with two slashes',
    { labels: { 'a/b/c': 'a' } },
    [/^LNT1019 the name "a\/b\/c" has more than one "\/"/],
  ],
  ['a domain in capitals', { annotations: { 'Example.com/Name': 'a' } }, []],
  [
    'a label value with a space and a slash',
    { labels: { team: 'a b/c' } },
    [/^LNT1019 the value of a label must be empty, or have only/],
  ],
  ['a label value that is too long', { labels: { ok: long(70) } }, [/^LNT1019 the value of a label/]],
  [
    'annotations that are too large',
    { annotations: { a: long(256 * 1024) } },
    [/^LNT1019 annotations are larger than 256 KiB/],
  ],
  [
    'a misspelt annotation of Lintel',
    { annotations: { 'lintel.dev/expectatons': '[]' } },
    [/^LNT1008 nothing reads .*; did you mean lintel.dev\/expectations\?$/],
  ],
  [
    'an unknown annotation of Lintel',
    { annotations: { 'lintel.dev/owner': 'me' } },
    [/^LNT1008 nothing reads the annotation lintel.dev\/owner; remove it/],
  ],
  [
    'known annotations of Lintel',
    {
      annotations: {
        'lintel.dev/expectations': '[]',
        'lintel.dev/ignore.LNT2004': 'no Secrets here',
        'lintel.dev/registry-export': 'true',
        'lintel.dev/authz-claims': '{}',
        'lintel.dev/desired-hash': 'x',
      },
    },
    [],
  ],
])('the rule objectNames gives the expected findings for: %s', (_, metadata, found) => {
  const lines = findings('objectNames', group(metadata)).map(
    ({ code, message, fix }) => `${code} ${message}${code === 'LNT1008' ? `; ${fix}` : ''}`,
  );
  expect(lines).toEqual(found.map(line => expect.stringMatching(line)));
});
