// The house rules of docs/architecture.md. Leaves do no I/O and know no other room; only the editor knows VS Code.
const nodeIo = '^(node:)?(fs|fs/promises|child_process|net|http|https|os|worker_threads|dgram|tls|cluster)$';
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'vscode-only-in-the-editor',
      severity: 'error',
      from: { pathNot: '^src/(editor/|extension\\.ts$|model/vscode)' },
      to: { path: '^vscode$' },
    },
    {
      name: 'leaves-do-no-io',
      severity: 'error',
      from: { path: '^src/(kernel|task|statistics|profile/readers)/', pathNot: '\\.test\\.ts$' },
      to: { path: nodeIo },
    },
    {
      name: 'kernel-is-a-leaf',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(src/(?!kernel/)|remote-runner/)' },
    },
    {
      name: 'task-is-a-leaf',
      severity: 'error',
      from: { path: '^src/task/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(src/(?!task/|kernel/)|remote-runner/)' },
    },
    {
      name: 'statistics-is-a-leaf',
      severity: 'error',
      from: { path: '^src/statistics/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(src/(?!statistics/)|remote-runner/)' },
    },
    {
      name: 'readers-are-leaves',
      severity: 'error',
      from: { path: '^src/profile/readers/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(src/(?!profile/readers/)|remote-runner/(?!protocol(\\.ts$|/)))' },
    },
    {
      name: 'runner-imports-leaves-only',
      severity: 'error',
      from: { path: '^remote-runner/' },
      to: { path: '^src/(?!kernel/|task/|statistics/|profile/readers/)' },
    },
    {
      name: 'src-sees-the-protocol-only',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^remote-runner/(?!protocol(\\.ts$|/))' },
    },
    {
      name: 'nothing-imports-a-composition-root',
      severity: 'error',
      from: {},
      to: { path: '^(src/(extension|cli)\\.ts|remote-runner/main\\.ts|src/session/main\\.ts)$' },
    },
    {
      name: 'product-never-imports-tests',
      severity: 'error',
      from: { path: '^(src|remote-runner)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^test/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|test/editor/\\.cache)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
