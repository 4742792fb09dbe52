/** Other valid values of a leaf. */
import type { StructuralSchema } from '#schemas';
import type { Path } from '../../support/sample.ts';

/** Texts, of which the first ones that match the pattern of a leaf are used. */
const TEXTS = [
  'other',
  '9s',
  '3h',
  'https://other.example.com/mcp',
  'https://other.example.com',
  '0.75',
  '0.125',
  'eu-west-1',
  'arn:aws:iam::123456789012:role/other',
  '2027-02-02T00:00:00Z',
  '/other',
  '1123456789012345678901234567890123456789',
  'example.com/a',
  'X-Other',
  '9Mi',
  '500m',
  '8081',
];

const MOST_TEXTS = 2;

const URLS = ['https://one.example.com/x', 'https://two.example.com/x'];
const ADDRESSES = ['one.test:6379', 'two.test:6379'];
const QUANTITIES = ['500m', '2Gi'];
const PODS = [{ metadata: { labels: { team: 'one' } } }, { metadata: { labels: { team: 'two' } } }];

/** A policy that reads groups, so that the settings that make groups have an effect. */
export const PERMIT = 'permit(principal in Group::"a", action, resource);';
const OTHER_PERMIT = 'permit(principal == Client::"a", action, resource);';

const registry = (path: string) =>
  `sources: [{ name: sample, file: { path: ${path} } }]\nregistries: [{ name: sample, sources: [sample] }]\nauth: { mode: anonymous }\n`;
const answer = (name: string) => ({ type: 'object', properties: { [name]: { type: 'boolean' } } });

/** Values of leaves whose form or language no schema describes, by kind and the end of the leaf's path. */
const VALUES: readonly (readonly [leaf: RegExp, values: readonly unknown[]])[] = [
  [/policies\.0$/, [PERMIT, OTHER_PERMIT]],
  [/^MCPAuthzConfig:type$/, ['cedarv1', 'other']],
  [/^MCPAuthzConfig:config$/, [{ policies: [PERMIT] }, { policies: [OTHER_PERMIT] }]],
  [/entitiesJson$/, ['[]', '[{"uid":{"type":"Group","id":"c"},"attrs":{},"parents":[{"type":"Group","id":"a"}]}]']],
  [/groupEntityType$/, ['Group', 'Team']],
  [/condition$/, ['{{ .params.a }}', '{{ not .params.a }}']],
  [/collection$/, ['{{ json .params.items }}', '{{ json .params.others }}']],
  [/(steps\.0|step)\.tool$/, ['sample.echo', 'sample.other']],
  [/steps\.0\.schema$/, [answer('one'), answer('two')]],
  [/output\..*\.default$/, [{ one: 1 }, { two: 2 }]],
  [/matcher$/, ['claims["sub"] == "a"', 'claims["sub"] == "b"']],
  [
    /[:.](idpTokenUrl|targetTokenUrl|tokenUrl|jwksUrl|introspectionUrl|endpoint|tokenEndpoint|authorizationEndpoint|embeddingService|registrationEndpoint|discoveryUrl|endpointUrl|resourceUrl|issuerUrl|authorizationEndpointBaseUrl|redirectUri|repository|file\.url)$/,
    URLS,
  ],
  [/kubernetesServiceAccount\.issuer$/, ['https://kubernetes.default.svc', 'https://kubernetes.example.com']],
  [
    /(inline|embeddedAuthServer|authServerConfig)\.issuer$/,
    ['https://sample.example.com', 'https://other.example.com'],
  ],
  [/(redis\.addr|sessionStorage\.address|sentinelAddrs\.0)$/, ADDRESSES],
  [/keyPrefix$/, ['one:', 'two:']],
  [/[rR]oleArn$/, ['arn:aws:iam::123456789012:role/one', 'arn:aws:iam::123456789012:role/two']],
  [/sessionDuration$/, [900, 1800]],
  [/roleMappings\.0\.priority$/, [7, 9]],
  [/tokenExchange\.subjectTokenType$/, ['access_token', 'id_token']],
  [/(limits|requests)\.(cpu|memory)$/, QUANTITIES],
  [/modelCache\.size$/, ['1Gi', '2Gi']],
  [/(eventTypes|EventTypes)\.0$/, ['mcp_tool_call', 'mcp_ping']],
  [/accessTokenLifespan$/, ['1h', '2h']],
  [/refreshTokenLifespan$/, ['2h', '3h']],
  [/authCodeLifespan$/, ['1m', '2m']],
  [/baselineClientScopes\.0$/, ['openid', 'other']],
  [/git\.commit$/, ['0', '1'].map(digit => digit.repeat(40))],
  [/podTemplateSpec$/, PODS],
  [/healthCheckInterval$/, ['40s', '50s']],
  [/onError\.action$/, ['abort', 'continue']],
  [
    /volumes\.0$/,
    [
      { name: 'one', emptyDir: {} },
      { name: 'two', emptyDir: {} },
    ],
  ],
  [
    /volumeMounts\.0$/,
    [
      { name: 'one', mountPath: '/one' },
      { name: 'one', mountPath: '/two' },
    ],
  ],
  [/configYAML$/, [registry('/srv/one.json'), registry('/srv/two.json')]],
  [/file\.path$/, ['/srv/one.json', '/srv/two.json']],
  [/authzConfig\.configMap\.name$/, ['sample', 'other']],
  [/authzConfig\.configMap\.key$/, ['authz.json', 'other']],
];

function valuesAt(kind: string, path: Path): readonly unknown[] | undefined {
  const leaf = `${kind}:${path.join('.')}`;
  return VALUES.find(([end]) => end.test(leaf))?.[1];
}

/** A meaningful value of a leaf for which the sample of its schema is not meaningful; undefined for all other leaves. */
export function meaningfulValue(kind: string, path: Path): unknown {
  return valuesAt(kind, path)?.[0];
}

/** @param value the current value of the leaf, which is not among the returned ones */
export function otherValues(kind: string, path: Path, value: unknown, schema: StructuralSchema): readonly unknown[] {
  const found = valuesAt(kind, path) ?? valuesOf(value, schema);
  return found.filter(other => JSON.stringify(other) !== JSON.stringify(value));
}

function valuesOf(value: unknown, schema: StructuralSchema): readonly unknown[] {
  const { pattern, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (schema.enum !== undefined) return schema.enum;
  switch (typeof value) {
    case 'boolean':
      return [!value];
    case 'number':
      return [value + 1, value + 2, value - 1].filter(other => other >= minimum && other <= maximum).slice(0, 2);
    case 'string': {
      const fits = (text: string) => pattern === undefined || new RegExp(pattern, 'u').test(text);
      return [`${value}x`, `x${value}`, ...TEXTS].filter(text => text !== value && fits(text)).slice(0, MOST_TEXTS);
    }
    default:
      return Array.isArray(value) ? [[...value, 'x']] : [{ ...(value as object), extra: 'x' }];
  }
}
