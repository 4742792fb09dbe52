import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

const strategy = (text: string) => gatewayConfig(`{ outgoingAuth: { source: inline, default: ${text} } }`);
const inline = (url: string) => strategy(`{ type: token_exchange, tokenExchange: { tokenUrl: "${url}" } }`);
const config = (url: string) =>
  object('MCPExternalAuthConfig', `{ type: tokenExchange, tokenExchange: { audience: a, tokenUrl: "${url}" } }`);

const PLAIN = 'tokenUrl is plain http: tokens and the client secret would cross the network unencrypted';

test.each<[string, string[], string[]]>([
  ['https, and http on localhost', [inline('https://a.example.com/t'), config('http://localhost:8080/t')], []],
  [
    'a strategy without token exchange',
    [strategy('{ type: unauthenticated, tokenExchange: { tokenUrl: nowhere } }')],
    [],
  ],
  ['plain http in spec.config', [inline('http://a.example.com/t')], [`LNT4004 warning 7:105 ${PLAIN}`]],
  ['plain http in an MCPExternalAuthConfig', [config('http://a.example.com/t')], [`LNT4004 warning 4:70 ${PLAIN}`]],
  ['no URL', [inline('a.example.com/t')], ['LNT6011 error 7:105 tokenUrl is not a complete URL']],
  ['another scheme', [config('ftp://a.example.com/t')], ['LNT6011 error 4:70 tokenUrl is not http or https']],
  [
    'a URL with credentials',
    [config('https://a:b@a.example.com/t')],
    ['LNT6011 error 4:70 tokenUrl contains credentials, which everyone who reads this file could use'],
  ],
  [
    'an on-behalf-of strategy',
    [strategy('{ type: obo, obo: { tokenUrl: nowhere } }')],
    ['LNT6011 error 7:84 tokenUrl is not a complete URL'],
  ],
])('the rule exchangeTokenUrl gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('exchangeTokenUrl', ...objects)).toEqual(expected);
});
