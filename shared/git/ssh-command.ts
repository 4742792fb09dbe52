/** ssh options: this list defines its permissions, and no setting of the machine extends them. */

const OPTIONS: Readonly<Record<string, string>> = {
  BatchMode: 'yes',
  // Unknown host keys are refused and never added.
  StrictHostKeyChecking: 'yes',
  GlobalKnownHostsFile: '/dev/null',
  UpdateHostKeys: 'no',
  VerifyHostKeyDNS: 'no',
  // Only this key is used; no agent and no password.
  IdentitiesOnly: 'yes',
  IdentityAgent: 'none',
  PreferredAuthentications: 'publickey',
  PasswordAuthentication: 'no',
  KbdInteractiveAuthentication: 'no',
  // No forwarding and no local commands.
  ForwardAgent: 'no',
  ForwardX11: 'no',
  ClearAllForwardings: 'yes',
  PermitLocalCommand: 'no',
  ProxyCommand: 'none',
  ProxyJump: 'none',
  // No connection outlives the command.
  ControlMaster: 'no',
  ControlPath: 'none',
  CanonicalizeHostname: 'no',
  // Seconds; detects an unreachable server.
  ConnectTimeout: '30',
  ServerAliveInterval: '15',
  ServerAliveCountMax: '4',
  LogLevel: 'ERROR',
};

/**
 * The command as a shell parses it. Git accepts ssh options only in this form, so it must not contain external input.
 *
 * @param identity name of the private key's file in Git's working folder
 * @param knownHosts name of the file with host keys, in the same folder
 */
export function formatSshCommand(identity: 'identity', knownHosts: 'known_hosts'): string {
  const options = { ...OPTIONS, IdentityFile: identity, UserKnownHostsFile: knownHosts };
  return ['ssh -F /dev/null -a -x', ...Object.entries(options).map(([name, value]) => `-o ${name}=${value}`)].join(' ');
}
