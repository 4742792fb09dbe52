import { readFileSync } from 'node:fs';
import { ApiObject, App, Chart, JsonPatch } from 'cdk8s';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Backend, Caller, Gateway, Group, Oidc, OutgoingAuth, Secret } from '../../../../compiler/cdk8s/index.ts';
import { compiledYaml, digestOfBundle, formatChart, seriousIn } from '../../../support/compiled-yaml.ts';

const EXAMPLE = readFileSync(new URL('../../../../examples/identity/specs/office.yaml', import.meta.url), 'utf8');

/** `examples/identity`, written with intent-level constructs. */
function office(): { readonly chart: Chart; readonly gateway: Gateway } {
  const chart = new Chart(new App(), 'office');
  const company = Oidc.inline(chart, 'company', {
    issuer: 'http://127.0.0.1:4510',
    insecureAllowHTTP: true,
    jwksAllowPrivateIP: true,
  });
  const lettersKey = OutgoingAuth.header(chart, 'letters-key', {
    header: 'X-Letters-Key',
    value: Secret.key('letters', 'key'),
  });
  const ledgerToken = OutgoingAuth.tokenExchange(chart, 'ledger-token', {
    tokenUrl: 'http://127.0.0.1:4510/exchange',
    audience: 'ledger',
    client: { id: 'gateway', secret: Secret.key('ledger', 'client-secret') },
  });
  const gateway = new Gateway(chart, 'office-gateway', {
    name: 'office',
    group: new Group(chart, 'office'),
    incoming: company.forAudience('office-gateway', { resourceUrl: 'http://127.0.0.1:4483/mcp' }),
    outgoing: { backends: { letters: lettersKey, ledger: ledgerToken } },
  });
  const transport = 'streamable-http';
  const letters = gateway.addBackend(Backend.inline({ name: 'letters', url: 'http://127.0.0.1:4511/mcp', transport }));
  const ledger = gateway.addBackend(Backend.inline({ name: 'ledger', url: 'http://127.0.0.1:4512/mcp', transport }));
  gateway.grant(Caller.group('staff')).call(letters.tool('read'), ledger.tool('balance'));
  return { chart, gateway };
}

const gatewayObject = (yaml: string) =>
  parseAllDocuments(yaml)
    .map(document => document.toJS())
    .find(({ kind }) => kind === 'VirtualMCPServer');

test('constructs for examples/identity compile without findings to the same authentication and credentials as the YAML of the example', () => {
  const compilation = compiledYaml(formatChart(office().chart), 'build');
  expect(seriousIn(compilation)).toEqual([]);
  const [inYaml] = compiledYaml(EXAMPLE, 'build').gateways;
  const [inCode] = compilation.gateways;
  expect(inCode?.bundle?.incomingAuth).toEqual(inYaml?.bundle?.incomingAuth);
  expect(inCode?.bundle?.incomingAuth.type).toBe('oidc');
  expect(inCode?.bundle?.backends).toHaveLength(2);
  // Policies and the filter of tools differ, because the construct denies by default.
  const { authorization: _, aggregation: __, backends: ours, ...rest } = inCode?.bundle ?? {};
  const { authorization: ___, aggregation: ____, backends: theirs, ...others } = inYaml?.bundle ?? {};
  expect(rest).toEqual(others);
  const credentials = (all: typeof ours) => all?.map(({ name, url, auth }) => ({ name, url, auth }));
  expect(credentials(ours)).toEqual(credentials(theirs));
});

test("constructs for examples/identity, with the policies and tool filters of the example's YAML, compile to the same bundle as the YAML", () => {
  const { chart, gateway } = office();
  const { spec } = gatewayObject(EXAMPLE);
  ApiObject.of(gateway.node.findChild('Resource')).addJsonPatch(
    JsonPatch.replace('/spec/incomingAuth/authzConfig', spec.incomingAuth.authzConfig),
    JsonPatch.replace('/spec/config/aggregation', spec.config.aggregation),
  );
  const [inYaml] = compiledYaml(EXAMPLE, 'build').gateways;
  const [inCode] = compiledYaml(formatChart(chart), 'build').gateways;
  expect(digestOfBundle(inCode?.bundle)).toBe(digestOfBundle(inYaml?.bundle));
});
