import type { CodeEntry } from './code-entry.ts';

/** About a repository as a whole, as the controller takes it. */
export const CONTROLLER_CODES = {
  LNT1060: {
    name: 'namespace-not-allowed',
    severity: 'error',
    meaning: 'An object names another namespace than the one that its GatewaySource may use.',
    since: '0.1.0',
    fix: 'Leave the namespace out, or name the `targetNamespace` of the GatewaySource',
    fixed: 'admission',
  },
  LNT1061: {
    name: 'not-compiled',
    severity: 'error',
    meaning: 'Compiling was given up: it passed the limit of time or memory of the controller, or the compiler failed.',
    since: '0.1.0',
    fix: 'Make the sources smaller or raise the limit; if the compiler failed, report it with the sources',
    fixed: 'unreadable',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
