/**
 * CEL rules that the constructs' types leave to the compiler, each with the reason. Generation fails for a rule that is neither a union nor
 * listed here; a test fails for an entry that matches no schema.
 */
const TEXT = 'speaks of the text of a value';
const ITEMS = 'compares items of a list or keys of a map';
const CROSSING = 'ties blocks that are written far apart: the union would have a branch for each combination';

export const UNTYPED_RULES: { readonly [rule: string]: string } = {
  "!self.url.matches('^https://[^/]*@')": TEXT,
  "!has(self.path) || !self.path.matches('(^|/)[.][.](/|$)')": TEXT,
  "!has(self.interval) || duration(self.interval) >= duration('10s')": TEXT,
  "!has(self.timeout) || (duration(self.timeout) >= duration('1s') && duration(self.timeout) <= duration('1h'))": TEXT,
  "!has(self.timeout) || duration(self.timeout) >= duration('1s')": TEXT,
  "!has(self.healthTimeout) || duration(self.healthTimeout) >= duration('1s')": TEXT,
  "duration(self.maxAssertionAge) > duration('0s')": TEXT,
  "!has(self.delegateClients) || size(self.delegateClients) == 0 || self.issuer.startsWith('https://')": TEXT,
  "!has(self.actorClaim) || !(self.actorClaim in ['sub', 'iss', 'aud', 'exp', 'iat', 'nbf', 'jti', 'name', 'email', 'scope', 'scp', 'may_act'])":
    TEXT,
  'size(self.clientSecretRef.name) > 0 && size(self.clientSecretRef.key) > 0': TEXT,
  'self.subjectBindings.all(b, self.subjectBindings.exists_one(o, o.subject == b.subject))': ITEMS,
  "!(has(self.allowedDelegateClients) && self.allowedDelegateClients.exists(c, c == '*')) || size(self.allowedDelegateClients) == 1":
    ITEMS,
  "!(has(self.allowMayAct) && self.allowMayAct) || !(has(self.allowedDelegateClients) && self.allowedDelegateClients.exists(c, c == '*'))":
    ITEMS,
  '!has(self.headers) || !has(self.sensitiveHeaders) || self.sensitiveHeaders.all(h, !(h.name in self.headers))': ITEMS,
  "!has(self.embeddingHeaders) || self.embeddingHeaders.all(name, name.matches('^[A-Za-z0-9!#$%&*+.^_|~-]+$') && !(name.lowerAscii() in ['authorization', 'content-type']))":
    ITEMS,
  '!has(self.rateLimiting) || !has(self.rateLimiting.tools) || has(self.oidcConfigRef) || has(self.externalAuthConfigRef) || !self.rateLimiting.tools.exists(t, has(t.perUser))':
    ITEMS,
  "!has(self.config) || !has(self.config.rateLimiting) || !has(self.config.rateLimiting.tools) || (has(self.incomingAuth) ? self.incomingAuth.type == 'oidc' : has(self.config.incomingAuth) && self.config.incomingAuth.type == 'oidc') || !self.config.rateLimiting.tools.exists(t, has(t.perUser))":
    ITEMS,
  '!has(self.rateLimiting) || !has(self.rateLimiting.perUser) || has(self.oidcConfigRef) || has(self.externalAuthConfigRef)':
    CROSSING,
  "!has(self.config) || !has(self.config.rateLimiting) || !has(self.config.rateLimiting.perUser) || (has(self.incomingAuth) ? self.incomingAuth.type == 'oidc' : has(self.config.incomingAuth) && self.config.incomingAuth.type == 'oidc')":
    CROSSING,
  "!has(self.config) || !has(self.config.rateLimiting) || (has(self.sessionStorage) && self.sessionStorage.provider == 'redis') || (has(self.replicas) && self.replicas == 1)":
    CROSSING,
  "!has(self.embeddingServerRef) || !has(self.config) || !has(self.config.optimizer) || !has(self.config.optimizer.embeddingProvider) || self.config.optimizer.embeddingProvider != 'openai'":
    CROSSING,
};
