import { expect, test } from 'vitest';
import { holdsCredential } from '../../../compiler/source/credential-text.ts';
import { findKnownCredential } from '../../../compiler/source/known-credentials.ts';

/** A text of a given length over an alphabet, in an order that no placeholder has. */
function body(length: number, alphabet = 'a7Kd3QmZ9pX2vR5tB8wL4nH6'): string {
  return Array.from({ length }, (_, index) => alphabet[(index * 7 + Math.floor(index / 5)) % alphabet.length]).join('');
}

const hex = (length: number) => body(length, '0123456789abcdef');

test.each([
  ['a private key', `-----BEGIN EC PRIVATE KEY-----\n${body(64)}\n`],
  ['a private key', `-----BEGIN PRIVATE KEY-----\\n${body(64)}`],
  ['a token of GitHub', `ghp_${body(36)}`],
  ['a token of GitHub', `ghs_${body(36)}`],
  ['a token of GitHub', `github_pat_${body(22)}_${body(59)}`],
  ['a token of GitLab', `glpat-${body(20)}`],
  ['a token of Slack', `xoxb-${body(12, '0123456789')}-${body(24)}`],
  ['a token of Slack', `xapp-1-${body(11)}-${body(13)}`],
  ['an access key of AWS', `AKIA${body(16, 'ABCDEFGHJKLMNPQRSTUVWXYZ234567')}`],
  ['a key of Anthropic', `sk-ant-api03-${body(93)}`],
  ['a key of OpenAI', `sk-proj-${body(48)}`],
  ['a key of OpenAI', `sk-${body(48)}`],
  ['a key of OpenRouter', `sk-or-v1-${hex(64)}`],
  ['a key of Google', `AIza${body(35)}`],
  ['a client secret of Google', `GOCSPX-${body(28)}`],
  ['a key of Groq', `gsk_${body(52)}`],
  ['a key of Perplexity', `pplx-${body(48)}`],
  ['a key of Tavily', `tvly-dev-${body(32)}`],
  ['a live key of Stripe', `sk_live_${body(24)}`],
  ['a token of Hugging Face', `hf_${body(34)}`],
  ['a token of Notion', `ntn_${body(46)}`],
  ['a token of Linear', `lin_api_${body(40)}`],
  ['a token of Atlassian', `ATATT3x${body(180)}`],
  ['a token of Figma', `figd_${body(40)}`],
  ['a token of Grafana', `glsa_${body(32)}_${hex(8)}`],
  ['a token of Sentry', `sntryu_${hex(64)}`],
  ['a token of SendGrid', `SG.${body(22)}.${body(43)}`],
  ['a token of DigitalOcean', `dop_v1_${hex(64)}`],
  ['a token of Docker', `dckr_pat_${body(27)}`],
  ['a token of Databricks', `dapi${hex(32)}`],
  ['a token of Supabase', `sbp_${hex(40)}`],
  ['a token of Shopify', `shpat_${hex(32)}`],
  ['a token of npm', `npm_${body(36)}`],
  ['a token of PyPI', `pypi-AgEIcHlwaS5vcmc${body(60)}`],
  ['a token of HashiCorp Vault', `hvs.${body(90)}`],
  ['a token of Telegram', `${body(10, '123456789')}:AA${body(33)}`],
])('the compiler recognizes %s in a text', (name, credential) => {
  for (const text of [credential, `Bearer ${credential}`, `--token=${credential}`, `"${credential}", and more`]) {
    expect(findKnownCredential(text)).toBe(name);
    expect(holdsCredential(text)).toBe(true);
  }
  expect(findKnownCredential(`x${credential}`)).not.toBe(name);
});

test.each([
  `ghp_${'x'.repeat(36)}`,
  'ghp_YOUR_TOKEN_HERE_PLEASE_PUT_IT_IN',
  'AKIAIOSFODNN7EXAMPLE',
  'xoxb-your-bot-token-goes-here',
  'sk-learn-and-other-python-packages',
  'the token ghp_… of GitHub',
  '$(GITHUB_TOKEN)',
  'lintel-placeholder-ghp_short',
  'https://example.com/docs/akia',
  '-----BEGIN PRIVATE KEY----- and what follows',
])('the compiler recognizes no credential in %s', text => {
  expect(findKnownCredential(text)).toBeUndefined();
});

test('the check whether a text may hold a credential also matches a placeholder in the form of a credential', () => {
  expect(holdsCredential(`ghp_${'x'.repeat(36)}`)).toBe(true);
});

test('the compiler recognizes a credential that follows a placeholder in the same text', () => {
  expect(findKnownCredential(`ghp_${'x'.repeat(36)} ghp_${body(36)}`)).toBe('a token of GitHub');
});
