/** The simulated network of the programs in these tests: cluster names, addresses, and internet services. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProcessOptions } from '../../support/process.ts';

export interface Host {
  /** The address in the simulated name service. */
  readonly address: string;
  /** Local port to which connections go. */
  readonly port: number;
}

/** A private address of the cluster. */
export const CLUSTER_ADDRESS = '10.96.0.7';

/** An address in the internet. */
export const PUBLIC_ADDRESS = '93.184.215.14';

/** Options for a program that resolves these host names. */
export function inNetwork(
  hosts: { readonly [name: string]: Host },
  { env, nodeOptions = [], ...rest }: ProcessOptions = {},
): ProcessOptions {
  const preload = pathToFileURL(join(import.meta.dirname, 'network.mjs')).href;
  return {
    ...rest,
    env: { ...env, TEST_NETWORK: JSON.stringify(hosts) },
    nodeOptions: [...nodeOptions, '--import', preload],
  };
}
