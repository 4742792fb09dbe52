/** The claims of callers in the form that `lintel matrix --as` accepts. The tests also issue tokens with them. */
export type Claims = { readonly sub: string; readonly [claim: string]: unknown };

export const CALLERS: { readonly [name: string]: Claims } = {
  ann: {
    sub: 'ann',
    groups: ['staff', 'eng'],
    level: 3,
    dept: 'a',
    vip: true,
    tags: ['x', 'y'],
    org: { unit: 'core' },
  },
  ben: { sub: 'ben', groups: ['staff', 'interns'], level: 9, dept: 'b', vip: false, org: { unit: 'other', more: [1] } },
  // Claims of other types than policies expect.
  cat: { sub: 'cat', groups: 'staff', level: '9', dept: ['a'], vip: 'true', tags: 'x', org: 'core' },
  dan: { sub: 'dan' },
  // Callers that no gateway here admits.
  far: { sub: 'ann', groups: ['staff', 'eng'], iss: 'https://elsewhere.example' },
  off: { sub: 'ann', groups: ['staff', 'eng'], aud: ['other'] },
  key: { sub: 'ann', groups: ['staff', 'eng'], cnf: { jkt: 'x' } },
};
