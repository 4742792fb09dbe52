import { carriesCredential } from '../credential.ts';
import type { Exposure, ForwardedHeader } from '../exposure.ts';
import { cell, type Section } from './section.ts';
import { describeCredentials } from './words.ts';

export function backends({ backends }: Exposure): Section {
  return {
    title: `Backends: ${backends.length}`,
    head: [{ name: 'name' }, { name: 'transport' }, { name: 'url' }],
    rows: backends.map(({ name, transport, url }) => [cell(name), cell(transport), cell(url)]),
  };
}

export function credentials({ backends }: Exposure): Section {
  return {
    title: 'Credentials that backends get or have',
    head: [{ name: 'backend' }, { name: 'credential' }, { name: 'as' }, { name: 'details' }],
    rows: backends.flatMap(backend =>
      describeCredentials(backend).map(({ credential, as, details }) => [
        cell(backend.name),
        cell(credential),
        cell(as),
        cell(details),
      ]),
    ),
  };
}

const SENDERS: { readonly [F in ForwardedHeader['from']]: string } = {
  caller: 'as the caller sends it',
  spec: 'fixed, in the spec',
  secret: 'fixed, in a Secret',
};

/** Those that are no credentials. */
export function headers({ backends }: Exposure): Section {
  return {
    title: 'Other headers to backends',
    head: [{ name: 'backend' }, { name: 'header' }, { name: 'value' }],
    rows: backends.flatMap(({ name: backend, headers, credential }) =>
      headers
        .filter(header => !carriesCredential(header, credential))
        .map(({ name, from }) => [cell(backend), cell(name), cell(SENDERS[from])]),
    ),
  };
}
