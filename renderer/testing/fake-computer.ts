import { implement } from '@orpc/server'
import { type FolderUse, type KeptAside, rpc, type SecretReport, type ThisComputer } from '../../contract/rpc/index.ts'
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
  move:
    scenario === 'fault'
      ? { phase: 'copying', to: '/media/ana/Stage 2/Sidestage', bytes: 21.4e9, total: 38.2e9 }
      : null,
  moved: scenario === 'poor' ? { outcome: 'moved', to: '/media/ana/Stage 2/Sidestage', reason: null } : null,
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
      ? {
          kind: 'session',
          reason: 'unavailable',
          detail: 'The name org.freedesktop.secrets was not provided by any .service files',
        }
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
        : {
            handle: 'h',
            path: `${input.path}/Sidestage`,
            fault: null,
            need: 39.4e9,
            free: 812e9,
            spare: 1_073_741_824,
            detail: null,
          },
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

const day = 86_400_000
/** What was set aside; something only where this computer has its troubles. */
export const makeKept = (scenario: Scenario, now: number): KeptAside => {
  const entries: KeptAside['entries'] =
    scenario !== 'poor'
      ? []
      : [
          {
            where: 'service',
            id: '2026-11-12/101500-000000000001',
            at: now - day,
            reason: 'unknown',
            detail: 'uploaded files that the database does not know',
            paths: ['files/3c/3c9a1f00b2', 'files/7e/7e3a91c4d1'],
            count: 2,
            bytes: 4.2e6,
            seen: true,
            until: now + 29 * day,
          },
        ]
  return {
    entries,
    count: entries.length,
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    service: scenario !== 'stopped' && scenario !== 'fault',
  }
}

/** Quarantine of the fake companion. */
export function fakeKeeping(scenario: Scenario, now: number) {
  const os = implement(rpc).keeping
  return {
    list: os.list.handler(() => makeKept(scenario, now)),
    restore: os.restore.handler(() => ({ restored: 2, taken: [] })),
    remove: os.remove.handler(() => undefined),
    seen: os.seen.handler(() => undefined),
  }
}
