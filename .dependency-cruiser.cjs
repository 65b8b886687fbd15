/**
 * The layers of docs/architecture.md, held by a tool. An arrow that is not listed there fails `npm run check`.
 * @type {import('dependency-cruiser').IConfiguration}
 */
const our = (...names) => `^(packages|hosts)/(${names.join('|')})/`;

/** What each package may import of ours, besides itself. */
const allowed = {
  core: [],
  transport: [],
  daemon: ['core'],
  protocols: ['core', 'transport'],
  companion: ['core', 'transport', 'protocols', 'daemon'],
  ui: ['core', 'daemon'],
  standalone: ['core', 'companion', 'ui'],
  vscode: ['core', 'companion', 'ui'],
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
      name: 'protocols-do-not-know-each-other',
      comment: 'Agents fork and drift: a hundred similar lines are cheaper than a shared flag.',
      severity: 'error',
      from: { path: '^packages/protocols/src/([^/]+)/' },
      to: { path: '^packages/protocols/src/([^/]+)/', pathNot: '^packages/protocols/src/$1/' },
    },
    {
      name: 'core-has-no-io',
      severity: 'error',
      from: { path: '^packages/core/src/' },
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
      name: 'only-daemon-knows-the-sdk',
      severity: 'error',
      from: { pathNot: '^packages/daemon/src/(connection|session|ide)/' },
      to: { path: '@qwen-code/sdk' },
    },
    {
      name: 'the-chat-model-runs-in-a-browser',
      comment:
        'A panel applies its patches: neither Node nor the SDK, nor a part of the package that needs them.',
      severity: 'error',
      from: { path: '^packages/daemon/src/(chat|requests)/' },
      to: { pathNot: '^packages/daemon/src/(chat|requests)/|node_modules/zod/' },
    },
    {
      name: 'ui-imports-only-the-chat-of-daemon',
      severity: 'error',
      from: { path: '^packages/ui/src/' },
      to: { path: '^packages/daemon/src/', pathNot: '^packages/daemon/src/chat/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
      from: { path: '^(packages|hosts)/[^/]+/(src|bin)/', pathNot: '^packages/core/src/testing/' },
      to: { path: '^packages/core/src/testing/' },
    },
    {
      name: 'product-needs-only-declared-dependencies',
      comment: 'What a package imports stands in the dependencies of its own package.json.',
      severity: 'error',
      from: { path: '^(packages|hosts)/[^/]+/src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
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
