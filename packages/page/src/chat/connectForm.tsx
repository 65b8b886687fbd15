import { type FormEvent, useId, useState } from 'react';
import { useChat, useChatState, usePanel } from './chatContext.js';
import type { ChatHost } from './chatHost.js';
import styles from './setupView.module.css';

type FormConnecting = Extract<ChatHost['connecting'], { kind: 'form' }>;

/** Asks for a daemon's address and token. The token goes to the host and is kept nowhere here. */
export function ConnectForm({ connect }: Pick<FormConnecting, 'connect'>) {
  const { panel } = useChat();
  const known = useChatState(({ setup }) => (setup.isOwn ? undefined : setup.url));
  // Kept by the panel: the form is gone while it connects.
  const typed = usePanel((values) => values.address);
  const url = typed ?? known ?? 'http://127.0.0.1:4170';
  const [token, setToken] = useState('');
  const id = useId();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setToken('');
    void panel.attempt('Not connected', () => connect({ url: url.trim(), token }));
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <label htmlFor={`${id}-url`}>Address</label>
      <input
        id={`${id}-url`}
        type="url"
        required
        spellCheck={false}
        autoComplete="off"
        value={url}
        aria-describedby={`${id}-hint`}
        onChange={(event) => panel.set({ address: event.target.value })}
      />
      <label htmlFor={`${id}-token`}>Token</label>
      <input
        id={`${id}-token`}
        type="password"
        autoComplete="off"
        value={token}
        placeholder="None, if it was started without"
        onChange={(event) => setToken(event.target.value)}
      />
      <p id={`${id}-hint`} className={styles.hint}>
        As <code>qwen serve</code> prints it; only a daemon on this machine. The token stays out of the page.
      </p>
      <button type="submit" className={styles.submit}>
        Connect
      </button>
    </form>
  );
}
