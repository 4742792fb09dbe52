/** The network in which the programs of these tests run: cluster names, addresses, and services of the internet. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProcessOptions } from '../../support/process.ts';

export interface Host {
  /** What the name service says. */
  readonly address: string;
  /** Where connections end: a port of this machine. */
  readonly port: number;
}

/** Of the cluster: private. */
export const CLUSTER_ADDRESS = '10.96.0.7';

/** Somewhere in the internet. */
export const PUBLIC_ADDRESS = '93.184.215.14';

/** Options for a program that finds these hosts by name. */
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
