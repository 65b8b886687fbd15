import { createRoot } from 'react-dom/client';
import { StartHelp } from './app/startHelp.js';
import { startPage } from './app/startPage.js';
import { HttpHost } from './client/httpHost.js';
import { followAddress, keepPageToken, readPageSecrets } from './client/pageSecrets.js';
import './theme/tokens.css';
import './theme/agents.css';
import './theme/base.css';

const element = document.getElementById('page');
if (element === null) throw new Error('The page has no element to stand in.');
if (readPageSecrets().length === 0) {
  followAddress(() => location.reload());
  createRoot(element).render(<StartHelp isRefused={false} />);
} else {
  const host = new HttpHost({ secrets: readPageSecrets, keepToken: keepPageToken });
  followAddress(() => host.retry());
  startPage(element, host);
}
