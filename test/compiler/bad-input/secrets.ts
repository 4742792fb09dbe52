/** Secrets, valid and broken, whose values must not appear in output. */
import fc from 'fast-check';

/** Part of every value of every Secret here, and of nothing else. */
export const MARK = 'hunter2';

export const VALUES = [
  MARK,
  `"${MARK}"`,
  `'${MARK}'`,
  `"${MARK}`,
  `"${MARK}\\q"`,
  `"\\U0${MARK}"`,
  `"\\u${MARK}"`,
  `"${MARK}" x`,
  `@${MARK}`,
  `\`${MARK}`,
  `%${MARK}`,
  `*${MARK}`,
  `&${MARK}`,
  `&${MARK} a`,
  `!${MARK}`,
  `!${MARK} a`,
  `!!${MARK} a`,
  `!a!${MARK} a`,
  `!${MARK}! a`,
  `!<${MARK}> a`,
  `!<!${MARK}> a`,
  `!!map ${MARK}`,
  `!<${MARK} a`,
  `|${MARK}`,
  `>- ${MARK}`,
  `{${MARK}`,
  `[${MARK}`,
  `${MARK}: x`,
  `x: ${MARK}`,
  `{ x: ${MARK}, x: ${MARK} }`,
  `[${MARK}]`,
  `${MARK}\u0000`,
  `!!int ${MARK}`,
  `!!binary ${MARK}`,
  `!!timestamp ${MARK}`,
  `? ${MARK}`,
  `- ${MARK}`,
  `${MARK}\n${MARK}`,
  `|\n    ${MARK}\n   ${MARK}\n ${MARK}`,
];

export const HEADS = [
  'apiVersion: v1\nkind: Secret\nmetadata: { name: sample }\n',
  'apiVersion: v1\nkind: Secret\nmetadata: { name: sample, namespace: NOT }\n',
  'apiVersion: v1\nkind: Secret\n',
  'apiVersion: v1\nkind: Secret\nkind: Secret\nmetadata: { name: sample }\n',
  'kind: Secret\nmetadata: { name: sample }\n',
];

export const FIELDS: readonly ((value: string) => string)[] = [
  value => `data:\n  token: ${value}\n`,
  value => `stringData:\n  token: ${value}\n`,
  value => `stringData:\n  token: ${value}\n  token: ${value}\n`,
  value => `stringData: { token: ${value} }\n`,
  value => `stringData: ${value}\n`,
  value => `stringData:\n- ${value}\n`,
];

/** A Secret as YAML, preceded by the document marker. */
export const secret: fc.Arbitrary<string> = fc
  .record({ head: fc.constantFrom(...HEADS), field: fc.constantFrom(...FIELDS), value: fc.constantFrom(...VALUES) })
  .map(({ head, field, value }) => `\n---\n${head}${field(value)}`);
