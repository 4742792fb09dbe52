import { expect, test } from 'vitest';
import { findUrlSecret } from '../../../compiler/starter/url-secret.ts';

const KEY = 'sk1234567890abcdef';

test.each([
  ['https://mcp.example.com/mcp'],
  ['http://127.0.0.1:4501/mcp'],
  ['https://mcp.example.com/a-long-but-harmless-name/mcp'],
  ['https://mcp.example.com/mcp?readonly=true&limit=20'],
  ['https://mcp.example.com/mcp#part'],
])('%s may be written', url => {
  expect(findUrlSecret(url, new Set())).toBeUndefined();
});

test.each([
  ['not a URL', 'mcp.example.com', 'its URL is not a complete one of http or https'],
  ['a URL of something else', 'file:///etc/passwd', 'its URL is not a complete one of http or https'],
  ['a password', `https://me:${KEY}@mcp.example.com/mcp`, 'its URL holds credentials: send them in a header instead'],
  ['a user', `https://${KEY}@mcp.example.com/mcp`, 'its URL holds credentials: send them in a header instead'],
  [
    'a parameter',
    `https://mcp.example.com/mcp?apiKey=${KEY}`,
    'the query parameter apiKey of its URL may be a secret: send it in a header instead',
  ],
  [
    'a word as a parameter',
    'https://mcp.example.com/mcp?team=red',
    'the query parameter team of its URL may be a secret: send it in a header instead',
  ],
  [
    'a key as a name',
    `https://mcp.example.com/mcp?${KEY}=red`,
    'the query parameter (its name may be a secret as well) of its URL may be a secret: send it in a header instead',
  ],
  ['a key in the path', `https://mcp.example.com/s/${KEY}/mcp`, 'a part of the path of its URL looks like a key'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as clients write it
  ['a variable', 'https://${HOST}/mcp', 'its URL has a variable, which a spec cannot have: write the URL out'],
])('%s may not', (_, url, problem) => {
  expect(findUrlSecret(url, new Set())).toBe(problem);
  expect(problem).not.toContain(KEY);
});

test('a bare key as the query is one', () => {
  expect(findUrlSecret(`https://mcp.example.com/mcp?${KEY}`, new Set())).toContain('query');
});

test('a person may say that something is none', () => {
  expect(findUrlSecret(`https://mcp.example.com/${KEY}?team=red`, new Set(['path', 'team']))).toBeUndefined();
});
