/** Unusable certificate authorities are reported at the start, and by `/status` and the log when they become invalid later. */
import { rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadBundle } from '#runtime';
import { formatCanonicalJson, type TrustPlan } from '#schemas';
import { type BundleOptions, backendPlan, eventually, gatewayBundle, startGateway } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { ISSUED_KEY, TEST_AUTHORITY } from '../../support/tls-fixture.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';

const NOWHERE = 'https://127.0.0.1:1/';
const KEY = 'holds a private key, which must not be where certificates are trusted';

/** One backend and one provider that trust the same authorities. */
function optionsFor(trust: TrustPlan): BundleOptions {
  const backendTrust =
    trust.type === 'pem' ? { caPem: trust.pem } : trust.type === 'file' ? { caFile: trust.path } : {};
  return {
    backends: [backendPlan('crm', NOWHERE, backendTrust)],
    incomingAuth: authPlan([providerPlan({ issuer: NOWHERE, discoveryUrl: NOWHERE }, { trust })]),
  };
}

async function load(folder: TemporaryFolder, trust: TrustPlan) {
  await folder.write({ 'bundle.json': formatCanonicalJson(gatewayBundle(optionsFor(trust))) });
  return loadBundle(folder.file('bundle.json'));
}

test.each<[string, string | null, string]>([
  ['a private key', TEST_AUTHORITY + ISSUED_KEY, KEY],
  ['nothing', '', 'is empty'],
  ['no certificate', 'hello', 'holds no PEM certificate: expected a line -----BEGIN CERTIFICATE-----'],
])('a gateway does not start when the certificate authorities of its plan contain %s', async (_, pem, cause) => {
  await using folder = await temporaryFolder({ 'ca.crt': pem ?? '' });
  const start = `${folder.file('bundle.json')}: the certificate authorities`;
  await expect(load(folder, { type: 'pem', pem: pem ?? '', replaces: true })).rejects.toMatchObject({
    name: 'BundleError',
    message: `${start} of backend "crm" cannot be used: the text ${cause}; the certificate authorities of provider "corp" cannot be used: the text ${cause}`,
  });
  await expect(load(folder, { type: 'file', path: folder.file('ca.crt'), replaces: true })).rejects.toMatchObject({
    name: 'BundleError',
    message: `${start} in ${folder.file('ca.crt')} cannot be used: the file ${cause}`,
  });
});

test('a gateway does not start when the file of its certificate authorities is missing', async () => {
  await using folder = await temporaryFolder();
  await expect(load(folder, { type: 'file', path: folder.file('ca.crt'), replaces: true })).rejects.toThrow(
    `in ${folder.file('ca.crt')} cannot be used: the file cannot be read (ENOENT)`,
  );
});

test('a gateway with valid certificate authorities starts', async () => {
  await using folder = await temporaryFolder({ 'ca.crt': TEST_AUTHORITY });
  await load(folder, { type: 'pem', pem: TEST_AUTHORITY, replaces: false });
  await load(folder, { type: 'file', path: folder.file('ca.crt'), replaces: true });
});

test('a running gateway still trusts the former certificate authorities when their file becomes invalid', async () => {
  await using folder = await temporaryFolder({ 'ca.crt': TEST_AUTHORITY });
  const path = folder.file('ca.crt');
  const { log, lines } = listeningLog();
  await using gateway = await startGateway(optionsFor({ type: 'file', path, replaces: true }), log);
  const stale = async () => {
    const { backends, authentication } = await gateway.status();
    return [...backends, ...authentication.providers].map(({ staleAuthorities }) => staleAuthorities);
  };
  // Both have read the file before they connect.
  await eventually(async () => {
    const { backends, authentication } = await gateway.status();
    return [...backends, ...authentication.providers].every(({ message }) => message.includes('ECONNREFUSED'));
  });
  expect(await stale()).toEqual([null, null]);
  const metrics = readPrometheus(await (await fetch(`${gateway.internalUrl}/metrics`)).text());
  const available = metrics.get('lintel_gateway_identity_provider_available')?.samples;
  expect(available).toEqual([expect.objectContaining({ value: 0 })]);

  await writeFile(path, ISSUED_KEY);
  const message = `the certificate authorities in ${path} cannot be used: the file ${KEY}`;
  await eventually(async () => (await stale()).every(found => found === message));
  const warnings = lines.filter(({ msg }) => msg === `${message}; the previous certificate authorities stay trusted`);
  expect(warnings.map(({ level }) => level)).toEqual(['error', 'error']);

  await rm(path);
  await writeFile(path, TEST_AUTHORITY);
  await eventually(async () => (await stale()).every(found => found === null));
});
