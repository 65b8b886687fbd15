// `tandem editor --check node check.mjs`: the plugin, with the actions of a user that Tandem plays.
import * as editor from './editor.mjs';
import { accept, call, connect, methods, reject, reviews, send, sendContext } from './plugin.mjs';

const actions = {
  focus: ({ path }) => methods['document/open']({ path, takeFocus: true }),
  select: ({ path, range }) => methods['document/open']({ path, range, takeFocus: true }),
  close: ({ path }) => void methods['document/close']({ path }),
  reviewsInView: () => [...reviews.keys()],
  edit({ id, text }) {
    const review = reviews.get(id);
    review.content = text;
    return call('review/edit', { id, version: review.version, content: text });
  },
  accept: ({ id }) => accept(reviews.get(id)),
  reject: ({ id }) => reject({ id }),
};

for (const [name, action] of Object.entries(actions)) methods[`test/${name}`] = action;
methods['test/workspace'] = ({ folder }) => {
  editor.reset();
  reviews.clear();
  send({ method: 'workspace/changed', params: { workspaceFolders: [folder], isTrusted: true } });
  sendContext();
};
methods.shutdown = () => void setImmediate(() => process.exit());
// What the editor prints must not be among the messages.
console.log = console.error;
const tandem = { stdin: process.stdout, stdout: process.stdin };
await connect(tandem, process.cwd(), { test: Object.keys(actions) });
