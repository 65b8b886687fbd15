import { createRoot } from 'react-dom/client';
import { StartHelp } from './app/startHelp.js';
import { startPage } from './app/startPage.js';
import { HttpHost } from './client/httpHost.js';
import { takePageToken } from './client/pageToken.js';
import './theme/tokens.css';
import './theme/base.css';

const element = document.getElementById('page');
if (element === null) throw new Error('The page has no element to stand in.');
const token = takePageToken();
if (token === undefined) createRoot(element).render(<StartHelp isRefused={false} />);
else startPage(element, new HttpHost(token));
