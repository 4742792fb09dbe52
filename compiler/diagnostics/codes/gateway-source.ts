import { yaml } from '../example.ts';
import type { CodeEntry } from './code-entry.ts';

/** Where the controller reads specs from. */
export const GATEWAY_SOURCE_CODES = {
  LNT1062: {
    name: 'unusable-repository',
    severity: 'error',
    meaning: 'A GatewaySource names a repository that the controller does not read.',
    since: '0.1.0',
    fix: 'Give an https or ssh URL without credentials, and with a user for ssh, such as `https://git.example.com/team/gateways.git` or `ssh://git@git.example.com/team/gateways.git`',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: GatewaySource
      metadata: { name: prod }
      spec: { url: "ssh://git.example.com/team/gateways.git" }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: GatewaySource
      metadata: { name: prod }
      spec: { url: "ssh://git@git.example.com/team/gateways.git" }
    `,
  },
  LNT1063: {
    name: 'unusable-git-ref',
    severity: 'error',
    meaning: 'A GatewaySource follows a branch, tag or range of versions that cannot exist.',
    since: '0.1.0',
    fix: 'Give the plain name of a branch or tag, or a range such as `>=1.2.0 <2.0.0`',
    fixed: 'unbuildable',
    bad: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: GatewaySource
      metadata: { name: prod }
      spec:
        url: https://git.example.com/team/gateways.git
        ref: { semver: "the newest" }
    `,
    good: yaml`
      apiVersion: lintel.dev/v1beta1
      kind: GatewaySource
      metadata: { name: prod }
      spec:
        url: https://git.example.com/team/gateways.git
        ref: { semver: ">=1.0.0" }
    `,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
