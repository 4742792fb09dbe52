import { expect, test } from 'vitest';
import { findSecretParameter } from '../../../compiler/source/secret-parameter.ts';

test.each([
  ['https://a.example.com/mcp?api_key=sesame', 'api_key'],
  ['https://a.example.com/mcp?v=2&tavilyApiKey=sesame#top', 'tavilyApiKey'],
  ['https://a.example.com/mcp?access_token=ab', 'access_token'],
  ['redis://a.example.com/0?password=sesame', 'password'],
  ['https://a.example.com/mcp?key=0123456789abcdef', 'key'],
])('the compiler finds in %s the secret parameter %s', (text, parameter) => {
  expect(findSecretParameter(text)).toBe(parameter);
});

test.each([
  'https://a.example.com/mcp',
  'https://a.example.com/mcp?team=eng&key=id',
  'https://a.example.com/mcp?api_key=',
  `https://a.example.com/mcp?api_key=\${API_KEY}`,
  'https://a.example.com/mcp?api_key=$(API_KEY)',
  'https://a.example.com/mcp?api_key=<your key>',
  'https://a.example.com/{{ .params.id }}?token={{ .params.token }}',
  'https://a.example.com/mcp?page_token=abcdef&token=true&max_tokens=100',
  'https://a.example.com/mcp#?api_key=sesame',
  'see https://a.example.com/mcp?api_key=sesame',
  'mcp?api_key=sesame',
])('the compiler finds no secret parameter in %s', text => {
  expect(findSecretParameter(text)).toBeUndefined();
});
