import { implement } from '@orpc/server'
import { type FolderUse, rpc, type SecretReport, type ThisComputer } from '../../contract/rpc/index.ts'
import type { Scenario } from './fake-state.ts'

/** What is set for this computer in each scenario. */
export const makeComputer = (scenario: Scenario, now: number): ThisComputer => ({
  folder: {
    path: scenario === 'poor' ? '/media/ana/Stage 2/Sidestage' : '/home/ana/.local/share/sidestage/service',
    usual: '/home/ana/.local/share/sidestage/service',
    named: false,
    present: scenario !== 'stopped',
    old: scenario === 'poor' ? { path: '/home/ana/.local/share/sidestage/service', at: now - 3_600_000 } : null,
  },
  move: scenario === 'fault' ? { phase: 'copying', to: '/media/ana/Stage 2/Sidestage', bytes: 21.4e9, total: 38.2e9 } : null,
  moved: scenario === 'poor' ? { outcome: 'moved', to: '/media/ana/Stage 2/Sidestage', reason: null, detail: null } : null,
  ports: [
    { listener: 'api', usual: 8710, chosen: null, named: true },
    { listener: 'media', usual: 8711, chosen: null, named: false },
    { listener: 'rtmp', usual: 1935, chosen: scenario === 'poor' ? 1940 : null, named: false },
  ],
  timeZone: { chosen: scenario === 'poor' ? 'Europe/Berlin' : null, system: 'Asia/Shanghai' },
})

const use: FolderUse = {
  recordings: { bytes: 38.2e9, files: 214 },
  databases: { bytes: 46e6, files: 2 },
  files: { bytes: 1.2e9, files: 1_284 },
  other: { bytes: 0, files: 0 },
  free: 412e9,
  total: 1e12,
}
const report = (scenario: Scenario): SecretReport => ({
  mode:
    scenario === 'poor'
      ? { kind: 'session', reason: 'unavailable', detail: 'The name org.freedesktop.secrets was not provided by any .service files' }
      : { kind: 'keychain', reason: null, detail: null },
  store: 'secretService',
  entries: [
    { kind: 'own', count: 1 },
    { kind: 'profiles', count: 2 },
    { kind: 'tokens', count: 3 },
    { kind: 'left', count: 2 },
  ],
})

/** This computer as the fake companion has it. */
export function fakeComputer(scenario: Scenario) {
  const os = implement(rpc).computer
  return {
    folderUse: os.folderUse.handler(() => use),
    showFolder: os.showFolder.handler(() => undefined),
    typeFolder: os.typeFolder.handler(({ input }) =>
      input.path.startsWith('/mnt/nas')
        ? { handle: null, path: input.path, fault: 'network', need: 0, free: 0, spare: 1_073_741_824, detail: null }
        : { handle: 'h', path: `${input.path}/Sidestage`, fault: null, need: 39.4e9, free: 812e9, spare: 1_073_741_824, detail: null },
    ),
    secrets: os.secrets.handler(() => report(scenario)),
    testSecrets: os.testSecrets.handler(() => ({ mode: report(scenario).mode, milliseconds: 14 })),
    readSettings: os.readSettings.handler(() => ({
      handle: 'h',
      changes: [
        { part: 'settings', name: 'theme', before: '"dark"', after: '"light"' },
        { part: 'settings', name: 'mutePresets', before: 'null', after: '[60,600,3600]' },
        { part: 'profiles', name: 'Harbour', before: null, after: 'https://live.example.com' },
      ],
      fault: null,
      where: null,
    })),
  }
}
