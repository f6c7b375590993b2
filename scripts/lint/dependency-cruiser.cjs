/** Import directions of docs/design.md: contract <- platform, service, companion, renderer; platform <- service, companion and shells; companion <- electron, browser; service <- only the roots. */
const only = (name, from, allowed, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from, pathNot: '\\.test\\.ts$|/testing/' },
  to: { path: '^(contract|platform|service|companion|electron|browser|renderer|scripts|e2e|bench)/', pathNot: allowed },
})

module.exports = {
  forbidden: [
    { name: 'no-circle', severity: 'error', from: { pathNot: '/testing/' }, to: { circular: true } },
    {
      name: 'contract-is-plain',
      severity: 'error',
      comment: 'contract is a leaf of plain values',
      from: { path: '^contract/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    only('contract-is-a-leaf', '^contract/', '^contract/'),
    only('platform-alone', '^platform/', '^platform/'),
    only('service-on-contract', '^service/', '^(service|contract|platform)/'),
    only('companion-on-contract', '^companion/', '^(companion|contract|platform)/'),
    only('electron-on-companion', '^electron/', '^(electron|companion|contract|platform)/'),
    only('browser-on-companion', '^browser/', '^(browser|companion|contract|platform)/'),
    only('renderer-on-contract', '^renderer/', '^(renderer|contract)/'),
    only('format-alone', '^renderer/format/', '^(renderer/format|contract)/'),
    only('data-knows-no-screen', '^renderer/data/', '^(renderer/(data|format|player|[^/]+\\.ts$)|contract/)'),
    only('ui-knows-no-feature', '^renderer/ui/', '^(renderer/(ui|data|format|[^/]+\\.ts$)|contract/)'),
    {
      name: 'media-is-pure',
      severity: 'error',
      comment: 'byte formats know no sockets, files or clock',
      from: { path: '^service/media/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(buffer|crypto)$' },
    },
    {
      name: 'media-stands-alone',
      severity: 'error',
      from: { path: '^service/media/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { path: '^service/(?!media/)' },
    },
    {
      name: 'zod-stays-out-of-the-page',
      severity: 'error',
      from: { path: '^renderer/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { path: '^contract/rpc/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-electron-in-the-companion',
      severity: 'error',
      from: { path: '^(companion|platform|service|contract|renderer|browser)/', pathNot: '\\.test\\.ts$' },
      to: { path: 'node_modules/electron/|^electron$' },
    },
    {
      name: 'no-vue-in-the-companion',
      severity: 'error',
      from: { path: '^(companion|platform|service|contract|electron|browser)/' },
      to: { path: 'node_modules/(vue|pinia|@nuxt)/' },
    },
    {
      name: 'product-without-tests',
      severity: 'error',
      comment: 'what is shipped imports no test and no harness',
      from: {
        path: '^(contract|platform|service|companion|electron|browser|renderer)/',
        pathNot: '\\.test\\.ts$|/testing/',
      },
      to: { path: '\\.test\\.ts$|/testing/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^out/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
      extensions: ['.ts', '.vue', '.mjs', '.js', '.json'],
    },
  },
}
