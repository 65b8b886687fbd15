/** The variables that `tandem run` gives to an agent. Its shell commands inherit them: the token permits hook calls and nothing else. */
export const hookVariables = {
  /** The id of the agent that they are for. */
  agent: 'TANDEM_HOOK_AGENT',
  port: 'TANDEM_HOOK_PORT',
  token: 'TANDEM_HOOK_TOKEN',
  /** Set if the companion proves that it is the one. */
  proves: 'TANDEM_HOOK_PROVES',
  /** A `HookMode`. */
  mode: 'TANDEM_HOOK_MODE',
} as const;
