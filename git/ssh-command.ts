/** How ssh is called: what it may do is written here, and nothing of the machine adds to it. */

const OPTIONS: Readonly<Record<string, string>> = {
  BatchMode: 'yes',
  // A host whose key is not among the known ones is refused, and none is ever learned.
  StrictHostKeyChecking: 'yes',
  GlobalKnownHostsFile: '/dev/null',
  UpdateHostKeys: 'no',
  VerifyHostKeyDNS: 'no',
  // That one key, and neither an agent's nor a password.
  IdentitiesOnly: 'yes',
  IdentityAgent: 'none',
  PreferredAuthentications: 'publickey',
  PasswordAuthentication: 'no',
  KbdInteractiveAuthentication: 'no',
  // Nothing is forwarded, and nothing is run on this machine.
  ForwardAgent: 'no',
  ForwardX11: 'no',
  ClearAllForwardings: 'yes',
  PermitLocalCommand: 'no',
  ProxyCommand: 'none',
  ProxyJump: 'none',
  // No connection that outlives the command.
  ControlMaster: 'no',
  ControlPath: 'none',
  CanonicalizeHostname: 'no',
  // Seconds; a server that is gone is noticed.
  ConnectTimeout: '30',
  ServerAliveInterval: '15',
  ServerAliveCountMax: '4',
  LogLevel: 'ERROR',
};

/**
 * The command, as a shell reads it: git has no other way to take options for ssh, so nothing in it comes from outside.
 *
 * @param identity name of the file of the private key, in the folder that git runs in
 * @param knownHosts name of the file of the keys of hosts, in the same folder
 */
export function sshCommand(identity: 'identity', knownHosts: 'known_hosts'): string {
  const options = { ...OPTIONS, IdentityFile: identity, UserKnownHostsFile: knownHosts };
  return ['ssh -F /dev/null -a -x', ...Object.entries(options).map(([name, value]) => `-o ${name}=${value}`)].join(' ');
}
