/** What Lintel says about an address that is not the URL of a server. */
import { expect, test } from 'vitest';
import { findUrlProblem } from '../../../compiler/text/url-problem.ts';

const NO_START = 'it does not begin with http:// or https://';
const NO_PORT = 'its port is not a number from 1 to 65535';
const NO_HOST = 'its host is not the name or the address of a machine';

test.each<[text: string, problem: string | undefined]>([
  ['http://127.0.0.1:4483/mcp', undefined],
  ['https://mcp.example.com', undefined],
  ['HTTPS://user:p:w@mcp.example.com:443/a:b?c', undefined],
  ['http://[::1]:8080/mcp', undefined],
  ['mcp.example.com', NO_START],
  ['localhost:4000', NO_START],
  ['https:/mcp.example.com', NO_START],
  ['ftp://mcp.example.com', NO_START],
  ['', NO_START],
  ['http://', 'it names no host'],
  ['http:///mcp', 'it names no host'],
  ['http://:80', 'it names no host'],
  ['http://localhost:99999/mcp', NO_PORT],
  ['http://localhost:400O/mcp', NO_PORT],
  ['http://a:b:80', NO_PORT],
  ['http:// a b', NO_HOST],
  ['http://[::1', NO_HOST],
])('findUrlProblem returns for the address %j: %s', (text, problem) => {
  expect(findUrlProblem(text)).toBe(problem);
});
