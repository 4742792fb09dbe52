import crypto from 'node:crypto';

/** What makes keys out of chance in native code, where no seed reaches it: by object, and the names of its methods. */
const MAKERS: readonly (readonly [name: string, target: object, methods: readonly string[]])[] = [
  [
    'crypto',
    crypto,
    ['generateKey', 'generateKeySync', 'generateKeyPair', 'generateKeyPairSync', 'generatePrime', 'generatePrimeSync'],
  ],
  ['ECDH', crypto.ECDH.prototype, ['generateKeys']],
  ['DiffieHellman', crypto.DiffieHellman.prototype, ['generateKeys']],
  ['DiffieHellmanGroup', crypto.DiffieHellmanGroup.prototype, ['generateKeys']],
  ['crypto.subtle', Object.getPrototypeOf(crypto.webcrypto.subtle) as object, ['generateKey']],
];

/** Makes it throw: a key would be another one at each run, and one that is always the same would be no key. */
export function blockKeyGeneration(): void {
  for (const [name, target, methods] of MAKERS) {
    for (const method of methods) {
      const value = () => {
        throw new Error(`${name}.${method} is refused: programs make no keys, which would be others each time`);
      };
      Object.defineProperty(target, method, { value, writable: true, configurable: true });
    }
  }
}
