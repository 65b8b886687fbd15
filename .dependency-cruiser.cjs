/**
 * Enforces the layers of docs/architecture.md. `npm run check` fails for an import that is not listed there.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const our = (...names) => `^(packages|hosts)/(${names.join('|')})/`;

/** Which of our packages each package may import, besides itself. */
const allowed = {
  core: [],
  reviews: ['core'],
  testing: ['core', 'reviews'],
  mcp: ['core'],
  rpc: [],
  changes: ['core', 'reviews'],
  chat: ['core'],
  agents: ['core', 'reviews', 'mcp'],
  companion: ['core', 'reviews', 'mcp', 'agents', 'changes', 'chat', 'rpc'],
  'chat-panel': ['core', 'chat', 'rpc'],
  page: ['core', 'reviews', 'chat-panel', 'chat', 'rpc'],
  remote: ['core', 'reviews', 'testing', 'companion', 'rpc'],
  standalone: ['core', 'reviews', 'companion', 'chat-panel', 'page', 'remote', 'rpc'],
  vscode: ['core', 'reviews', 'companion', 'chat-panel', 'rpc'],
};

const layers = Object.entries(allowed).map(([name, may]) => ({
  name: `${name}-imports-only-${may.length ? may.join('-') : 'itself'}`,
  comment: 'See docs/architecture.md: imports point in one direction.',
  severity: 'error',
  from: { path: `${our(name)}(src|bin)/` },
  to: { path: '^(packages|hosts)/', pathNot: our(name, ...may) },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'agents-do-not-import-each-other',
      comment:
        'Agents fork and drift. What several of them speak unchanged is in ideCompanion, claudeIde and hooks.',
      severity: 'error',
      from: { path: '^packages/agents/src/([^/]+)/' },
      to: {
        path: '^packages/agents/src/([^/]+)/',
        pathNot: '^packages/agents/src/($1|ideCompanion|claudeIde|hooks)/',
      },
    },
    {
      name: 'what-every-command-reads-of-an-agent-is-small',
      comment:
        'What serves the agent is imported when it starts: zod and MCP alone are larger than most commands.',
      severity: 'error',
      from: { path: '^packages/agents/src/[^/]+/(descriptor|diagnosis|discovery|[^/]*Patterns)\\.ts$' },
      to: { path: '^packages/mcp/|node_modules/zod/|/serve\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'rpc-runs-everywhere',
      comment: 'A browser, a webview and Node use it: nothing but schemas.',
      severity: 'error',
      from: { path: '^packages/rpc/src/' },
      to: { pathNot: '^packages/rpc/src/|node_modules/zod/' },
    },
    {
      name: 'core-and-reviews-have-no-io',
      severity: 'error',
      from: { path: '^packages/(core|reviews)/src/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'vscode-only-in-its-host',
      severity: 'error',
      from: { pathNot: '^hosts/vscode/' },
      to: { path: '(^|/)vscode$' },
    },
    {
      name: 'the-sdk-of-the-daemon-only-in-its-package',
      comment: 'Its root entry is 401 KB and for Node only; ./daemon is the client alone.',
      severity: 'error',
      from: {},
      to: { path: 'node_modules/@qwen-code/sdk/(?!dist/daemon/index\\.)' },
    },
    {
      name: 'only-the-chat-connection-uses-the-sdk',
      severity: 'error',
      from: { pathNot: '^packages/chat/src/qwenServe/' },
      to: { path: '@qwen-code/sdk' },
    },
    {
      name: 'the-chat-model-runs-in-a-browser',
      comment:
        'A panel applies its patches: neither Node nor the SDK, nor a part of the package that needs them.',
      severity: 'error',
      from: { path: '^packages/chat/src/model/' },
      to: { pathNot: '^packages/chat/src/model/|node_modules/zod/' },
    },
    {
      name: 'page-imports-only-the-chat-model',
      severity: 'error',
      from: { path: '^packages/(page|chat-panel)/src/' },
      to: { path: '^packages/chat/src/', pathNot: '^packages/chat/src/model/' },
    },
    {
      name: 'no-cycles',
      comment: 'Type-only imports count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'tests-stay-out-of-the-product',
      severity: 'error',
      from: { path: '^(packages|hosts)/[^/]+/src/' },
      to: { path: '/test/' },
    },
    {
      name: 'testing-kit-stays-out-of-the-product',
      severity: 'error',
      comment: 'Except for `tandem editor --check`, which a plugin is tested with.',
      from: {
        path: '^(packages|hosts)/[^/]+/(src|bin)/',
        pathNot: '^(packages/testing/src/|hosts/remote/src/check\\.ts$)',
      },
      to: { path: '^packages/testing/src/' },
    },
    {
      name: 'product-needs-only-declared-dependencies',
      comment:
        "What a package imports stands in the dependencies of its own package.json. Of ACP's SDK, only types are used.",
      severity: 'error',
      from: { path: '^(packages|hosts)/[^/]+/src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: 'node_modules/@agentclientprotocol/sdk/.*\\.d\\.ts$',
      },
    },
    {
      name: 'resolvable',
      comment: 'The module `vscode` is there only within VS Code.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^vscode$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(packages|hosts)/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@tandem/source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
