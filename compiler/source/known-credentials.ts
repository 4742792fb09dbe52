/** Credentials whose format identifies the issuing service, so that they are recognized anywhere. */

interface CredentialForm {
  /** The name with its article. */
  readonly name: string;
  /** Matches only at the start of a word. */
  readonly pattern: string;
}

const createServiceForm = (service: string, pattern: string): CredentialForm => ({
  name: `a token of ${service}`,
  pattern,
});

/** The patterns allow shorter tokens than services issue today, because services sometimes change the length. */
const FORMS: readonly CredentialForm[] = [
  { name: 'a private key', pattern: '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:\\s|\\\\[nr])*[A-Za-z\\d+/=]{20,}' },
  createServiceForm('GitHub', 'gh[pousr]_[A-Za-z\\d]{20,}'),
  createServiceForm('GitHub', 'github_pat_\\w{20,}'),
  createServiceForm('GitLab', 'gl(?:pat|dt|rt|ptt|oas|soat|cbt|ft|imt|agent)-[\\w.-]{16,}'),
  createServiceForm('Slack', 'xox[abeoprs]-[\\w-]*\\d[\\w-]{9,}'),
  createServiceForm('Slack', 'xapp-\\d-[\\w-]{20,}'),
  { name: 'an access key of AWS', pattern: 'A(?:KIA|SIA)[A-Z\\d]{16}(?![A-Za-z\\d])' },
  { name: 'a key of Anthropic', pattern: 'sk-ant-[\\w-]{16,}' },
  { name: 'a key of OpenAI', pattern: 'sk-(?:proj|svcacct|admin)-[\\w-]{20,}' },
  { name: 'a key of OpenAI', pattern: 'sk-[A-Za-z\\d]{40,}' },
  { name: 'a key of OpenRouter', pattern: 'sk-or-v\\d-[a-f\\d]{32,}' },
  { name: 'a key of Google', pattern: 'AIza[\\w-]{35}' },
  { name: 'a client secret of Google', pattern: 'GOCSPX-[\\w-]{20,}' },
  { name: 'a key of Groq', pattern: 'gsk_[A-Za-z\\d]{40,}' },
  { name: 'a key of Perplexity', pattern: 'pplx-[A-Za-z\\d]{40,}' },
  { name: 'a key of Tavily', pattern: 'tvly-(?:dev-|prod-)?[A-Za-z\\d]{20,}' },
  { name: 'a live key of Stripe', pattern: '[sr]k_live_[A-Za-z\\d]{16,}' },
  createServiceForm('Hugging Face', 'hf_[A-Za-z\\d]{30,}'),
  createServiceForm('Notion', 'ntn_[A-Za-z\\d]{40,}'),
  createServiceForm('Linear', 'lin_(?:api|oauth)_[A-Za-z\\d]{32,}'),
  createServiceForm('Atlassian', 'ATATT3[\\w=-]{50,}'),
  createServiceForm('Figma', 'fig[dur]_[\\w-]{36,}'),
  createServiceForm('Grafana', 'glsa_[A-Za-z\\d]{32}_[a-f\\d]{8}'),
  createServiceForm('Sentry', 'sntr(?:yu_[a-f\\d]{64}|ys_eyJ[\\w+/=-]{40,})'),
  createServiceForm('SendGrid', 'SG\\.[\\w-]{20,}\\.[\\w-]{40,}'),
  createServiceForm('DigitalOcean', 'do[opr]_v1_[a-f\\d]{64}'),
  createServiceForm('Docker', 'dckr_(?:pat|oat)_[\\w-]{20,}'),
  createServiceForm('Databricks', 'dapi[a-f\\d]{32}'),
  createServiceForm('Supabase', 'sbp_[a-f\\d]{40}'),
  createServiceForm('Shopify', 'shp(?:at|ca|pa|ss)_[a-fA-F\\d]{32}'),
  createServiceForm('npm', 'npm_[A-Za-z\\d]{36}'),
  createServiceForm('PyPI', 'pypi-AgE[\\w-]{50,}'),
  createServiceForm('HashiCorp Vault', 'hv[sb]\\.[\\w-]{24,}'),
  createServiceForm('Telegram', '\\d{8,10}:AA[\\w-]{33}(?![\\w-])'),
];

const START = '(?<![A-Za-z\\d_])';

/** A single search, since most texts contain no credential. */
const ANY = new RegExp(`${START}(?:${FORMS.map(({ pattern }) => pattern).join('|')})`);

const EACH = FORMS.map(({ name, pattern }) => ({ name, pattern: new RegExp(START + pattern, 'g') }));

/** Minimum number of different characters at the end of a credential: `ghp_xxxx…` is a placeholder. */
const LEAST_CHARACTERS = 8;

/** Whether the text contains something in the format of a credential, placeholders such as `ghp_xxxx…` included. */
export function holdsKnownForm(text: string): boolean {
  return ANY.test(text);
}

/** The credential that the text certainly contains, such as `a token of GitHub`; undefined for none and for placeholders. */
export function findKnownCredential(text: string): string | undefined {
  if (!ANY.test(text)) return undefined;
  return EACH.find(({ pattern }) => [...text.matchAll(pattern)].some(([found]) => !isPlaceholder(found)))?.name;
}

/** The example access key in AWS's documentation ends with this text. */
function isPlaceholder(found: string): boolean {
  return found.endsWith('EXAMPLE') || new Set(found.slice(-16)).size < LEAST_CHARACTERS;
}
