import { expect, test } from 'vitest';
import { findUrlSecret } from '../../../compiler/starter/url-secret.ts';

const KEY = 'sk1234567890abcdef';

test.each([
  ['https://mcp.example.com/mcp'],
  ['http://127.0.0.1:4501/mcp'],
  ['https://mcp.example.com/a-long-but-harmless-name/mcp'],
  ['https://mcp.example.com/mcp?readonly=true&limit=20'],
  ['https://mcp.example.com/mcp#part'],
])('lintel init writes the URL %s into the specs', url => {
  expect(findUrlSecret(url, new Set())).toBeUndefined();
});

test.each([
  ['a text that is no URL', 'mcp.example.com', 'its URL is not a complete one of http or https'],
  ['a file URL', 'file:///etc/passwd', 'its URL is not a complete one of http or https'],
  [
    'a URL with a password',
    `https://me:${KEY}@mcp.example.com/mcp`,
    'its URL holds credentials: send them in a header instead',
  ],
  [
    'a URL with a user name',
    `https://${KEY}@mcp.example.com/mcp`,
    'its URL holds credentials: send them in a header instead',
  ],
  [
    'a URL with a key as a parameter',
    `https://mcp.example.com/mcp?apiKey=${KEY}`,
    'the query parameter apiKey of its URL may be a secret: send it in a header instead',
  ],
  [
    'a URL with a word as a parameter',
    'https://mcp.example.com/mcp?team=red',
    'the query parameter team of its URL may be a secret: send it in a header instead',
  ],
  [
    'a URL with a key as a parameter name',
    `https://mcp.example.com/mcp?${KEY}=red`,
    'the query parameter (its name may be a secret as well) of its URL may be a secret: send it in a header instead',
  ],
  [
    'a URL with a key in the path',
    `https://mcp.example.com/s/${KEY}/mcp`,
    'a part of the path of its URL looks like a key',
  ],
  [
    'a URL with a variable',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as clients write it
    'https://${HOST}/mcp',
    'its URL has a variable, which a spec cannot have: write the URL out',
  ],
])('lintel init refuses %s without repeating the key', (_, url, problem) => {
  expect(findUrlSecret(url, new Set())).toBe(problem);
  expect(problem).not.toContain(KEY);
});

test('lintel init refuses a URL whose whole query looks like an API key', () => {
  expect(findUrlSecret(`https://mcp.example.com/mcp?${KEY}`, new Set())).toContain('query');
});

test('lintel init accepts a URL if the user declares its path and its parameter not to be secrets', () => {
  expect(findUrlSecret(`https://mcp.example.com/${KEY}?team=red`, new Set(['path', 'team']))).toBeUndefined();
});
