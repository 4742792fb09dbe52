import { carriesCredential } from '../credential.ts';
import type { Exposure, ForwardedHeader } from '../exposure.ts';
import { type Section, toCell } from './section.ts';
import { describeCredentials } from './words.ts';

export function renderBackends({ backends }: Exposure): Section {
  return {
    title: `Backends: ${backends.length}`,
    head: [{ name: 'name' }, { name: 'transport' }, { name: 'url' }],
    rows: backends.map(({ name, transport, url }) => [toCell(name), toCell(transport), toCell(url)]),
  };
}

export function renderCredentials({ backends }: Exposure): Section {
  return {
    title: 'Credentials that backends get or have',
    head: [{ name: 'backend' }, { name: 'credential' }, { name: 'as' }, { name: 'details' }],
    rows: backends.flatMap(backend =>
      describeCredentials(backend).map(({ credential, as, details }) => [
        toCell(backend.name),
        toCell(credential),
        toCell(as),
        toCell(details),
      ]),
    ),
  };
}

const SENDERS: { readonly [F in ForwardedHeader['from']]: string } = {
  caller: 'as the caller sends it',
  spec: 'fixed, in the spec',
  secret: 'fixed, in a Secret',
};

/** The headers that are not credentials. */
export function renderHeaders({ backends }: Exposure): Section {
  return {
    title: 'Other headers to backends',
    head: [{ name: 'backend' }, { name: 'header' }, { name: 'value' }],
    rows: backends.flatMap(({ name: backend, headers, credential }) =>
      headers
        .filter(header => !carriesCredential(header, credential))
        .map(({ name, from }) => [toCell(backend), toCell(name), toCell(SENDERS[from])]),
    ),
  };
}
