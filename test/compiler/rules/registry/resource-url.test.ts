import { expect, test } from 'vitest';
import { judgeConfig, VIEWS } from '../../../support/registry-rule.ts';

const config = (url: string) =>
  `${VIEWS}auth:\n  oauth:\n    resourceUrl: "${url}"\n    providers: [{ name: a, issuerUrl: https://a.example.com, audience: r }]\n`;

test.each<[string, string[]]>([
  ['https://r.example.com', []],
  ['https://r.example.com/', []],
  ['https://r.example.com/tools/registry', []],
  ['https://r.example.com/tools/', []],
  ['http://localhost:8080', []],
  ['https://r.example.com/a%2Fb', []],
  ...(
    [
      ['HTTPS://R.example.com', 'https://r.example.com/'],
      ['https://r.example.com:443/tools', 'https://r.example.com/tools'],
      ['https://r.example.com/a/../tools', 'https://r.example.com/tools'],
    ] as const
  ).map(([url, same]): [string, string[]] => [
    url,
    [`LNT8010 warning 9:18 resourceUrl is the URL ${same} for clients; write it that way`],
  ]),
  [
    'https://r.example.com//tools',
    ['LNT8010 warning 9:18 resourceUrl has an empty segment in its path, which proxies and clients may take out'],
  ],
  ['https://registry-api.team.svc.cluster.local:8080', []],
  ['http://r.example.com', ['LNT8007 warning 9:18 resourceUrl is plain http, so tokens can be read on the way']],
  ['r.example.com', ['LNT6011 error 9:18 resourceUrl is not a complete http or https URL']],
  ['https://r.example.com/#x', ['LNT6011 error 9:18 resourceUrl has a query or a fragment; it names the whole server']],
  ['https://r.example.com?x', ['LNT6011 error 9:18 resourceUrl has a query or a fragment; it names the whole server']],
  ['https://r.example.com:8081', ['LNT8010 warning 9:18 resourceUrl has port 8081, which is the internal address']],
  [
    'https://r.example.com/registry/main/v0.1/servers',
    ['LNT8010 warning 9:18 resourceUrl names one path of the server; it must be the URL that everything else is below'],
  ],
  [
    'https://r.example.com/v0',
    ['LNT8010 warning 9:18 resourceUrl names one path of the server; it must be the URL that everything else is below'],
  ],
  [
    'https://r.example.com/openapi.yaml',
    ['LNT8010 warning 9:18 resourceUrl names one path of the server; it must be the URL that everything else is below'],
  ],
  [
    'https://r.example.com/tools/registry/main',
    ['LNT8010 warning 9:18 resourceUrl names one path of the server; it must be the URL that everything else is below'],
  ],
  ['https://r.example.com/registry/other', []],
  [
    'https://r.example.com/.well-known/oauth-protected-resource',
    ['LNT8010 warning 9:18 resourceUrl names one path of the server; it must be the URL that everything else is below'],
  ],
  [
    'https://r.example.com/health',
    ['LNT8010 warning 9:18 resourceUrl ends with health, which the internal address answers'],
  ],
])('the rule resourceUrl gives the expected findings for: %s', (url, expected) => {
  expect(judgeConfig('resourceUrl', config(url))).toEqual(expected);
});
