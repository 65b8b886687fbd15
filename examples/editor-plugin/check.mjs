// `tandem editor --check node check.mjs`: the plugin, with the actions of a user that Tandem plays.
import { call, connect, methods, send, sendContext, state } from './plugin.mjs';

const actions = {
  focus: ({ path }) => methods['document/open']({ path, takeFocus: true }),
  select: ({ path, range }) => methods['document/open']({ path, range, takeFocus: true }),
  close: ({ path }) => void methods['document/close']({ path }),
  reviewsInView: () => [...state.reviews.keys()],
  edit({ id, text }) {
    const review = state.reviews.get(id);
    review.content = text;
    return call('review/edit', { id, version: review.version, content: text });
  },
  accept: ({ id }) => call('review/accept', { id, version: state.reviews.get(id).version }),
  reject: ({ id }) => call('review/reject', { id }),
};

for (const [name, action] of Object.entries(actions)) methods[`test/${name}`] = action;
methods['test/workspace'] = ({ folder }) => {
  Object.assign(state, { files: [], active: undefined });
  state.reviews.clear();
  send({ method: 'workspace/changed', params: { workspaceFolders: [folder], isTrusted: true } });
  sendContext();
};
methods.shutdown = () => void setImmediate(() => process.exit());
await connect({ input: process.stdin, output: process.stdout }, process.cwd(), {
  test: Object.keys(actions),
});
