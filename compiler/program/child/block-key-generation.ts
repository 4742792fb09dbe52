import crypto from 'node:crypto';

/** Functions that generate keys with native randomness, which no seed changes: the names of the methods, by object. */
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

/** Makes these functions throw: a random key would differ in each run, and a constant key would be insecure. */
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
