import type {
  CopyReceiver,
  ObsState,
  Profile,
  Receiver,
  RpcInputs,
  SeatBoard,
  ServiceState,
  Settings,
} from '../../contract/rpc/index.ts'
import type { SupportAbout, SupportBundle, SupportPart } from '../../contract/rpc/support.ts'
import type { Clock } from '../../platform/clock.ts'
import { reasonOf } from '../failure.ts'
import type { VaultMode } from '../secrets/vault.ts'
import type { PushHistory } from '../channel-status/push-history.ts'
import type { FolderFigures } from './folder-figures.ts'
import type { Redactor } from './redactor.ts'
import type { SystemFacts } from './system.ts'

/** Support bundles. */
export type Support = ReturnType<typeof createSupport>

/** Sources, all passed through `redactor`. */
export interface SupportPorts {
  readonly clock: Clock
  readonly redactor: Redactor
  readonly about: {
    readonly version: string
    readonly shell: string
    readonly capabilities: readonly string[]
    readonly shellReason: () => string | null
  }
  readonly system: () => SystemFacts
  /** States of update, download and desktop. */
  readonly shell: () => Readonly<Record<string, unknown>>
  readonly settings: () => Settings
  readonly profiles: () => readonly Profile[]
  readonly service: { state(): ServiceState; lines(): readonly string[] }
  readonly log: () => readonly string[]
  readonly receivers: { state(of: RpcInputs['receivers']['state']): Promise<Receiver> }
  readonly copies: { state(of: RpcInputs['copies']['state']): CopyReceiver }
  readonly moderators: { board(): SeatBoard }
  readonly obs: { state(): ObsState }
  readonly folder: () => Promise<FolderFigures>
  readonly vault: VaultMode
  readonly history: Pick<PushHistory, 'channels' | 'of'>
}

/** In characters; a log loses its oldest lines, others their end. */
export const maxPart = 262_144
/** Channels, and turns of each. */
const maxChannels = 8
const maxTurns = 50

const files: Readonly<Record<SupportAbout, string>> = {
  app: 'app.json',
  settings: 'settings.json',
  profiles: 'profiles.json',
  service: 'service.json',
  serviceLog: 'service-log.txt',
  appLog: 'app-log.txt',
  listeners: 'listeners.json',
  obs: 'obs.json',
  data: 'data-folder.json',
  keychain: 'keychain.json',
  health: 'health.json',
}
const backends: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'macOS Keychain',
  win32: 'Windows Credential Manager',
  linux: 'Secret Service (libsecret)',
}

interface Range {
  readonly least: number
  readonly mean: number
  readonly most: number
}
function rangeOf(values: readonly (number | null)[]): Range | null {
  const known = values.filter((each) => each !== null)
  if (known.length === 0) return null
  const rounded = (value: number): number => Math.round(value * 10) / 10
  return {
    least: rounded(Math.min(...known)),
    mean: rounded(known.reduce((sum, each) => sum + each, 0) / known.length),
    most: rounded(Math.max(...known)),
  }
}

/** Receivers have no TLS. */
const listening = ({ phase, host, port, open, reason }: Receiver | CopyReceiver): object => ({
  phase,
  host,
  port,
  open,
  reason,
  tls: false,
})

/** Makes it; nothing is read yet. */
export function createSupport(ports: SupportPorts) {
  const { redactor, clock } = ports

  const listeners = async (): Promise<unknown> => {
    const { addresses, notes } = ports.service.state()
    const { urls, ...seats } = ports.moderators.board().listener
    return {
      service:
        addresses &&
        Object.entries(addresses).flatMap(([name, url]) =>
          url === null ? [] : [{ name, url, tls: url.startsWith('https:') }],
        ),
      portsTaken: notes,
      receivers: await Promise.all(
        ports.profiles().map(async ({ id }) => ({
          profile: id,
          callbacks: await ports.receivers
            .state({ profileId: id })
            .then(listening, (error: unknown) => reasonOf(error)),
          copies: listening(ports.copies.state({ profileId: id })),
        })),
      ),
      moderators: { ...seats, addresses: urls.length, tls: urls.some((url) => url.startsWith('https:')) },
    }
  }
  const health = (): unknown =>
    ports.history
      .channels()
      .slice(-maxChannels)
      .map(({ profileId, cid }) => {
        const { samples, turns } = ports.history.of(profileId, cid)
        return {
          profile: profileId,
          channel: cid,
          seconds: samples.length,
          kbps: rangeOf(samples.map(({ kbps }) => kbps)),
          fps: rangeOf(samples.map(({ fps }) => fps)),
          drift: rangeOf(samples.map(({ drift }) => drift)),
          turns: turns.slice(-maxTurns),
          columns: 'at kbps fps drift',
          samples: samples.map(({ at, kbps, fps, drift }) =>
            [at, kbps, fps, drift].map((each) => each ?? '-').join(' '),
          ),
        }
      })
  const gather: Readonly<Record<SupportAbout, () => unknown>> = {
    app: () => {
      const { home: _, ...system } = ports.system()
      const { version, shell, capabilities, shellReason } = ports.about
      return { version, shell, shellReason: shellReason(), capabilities, system, ...ports.shell() }
    },
    settings: () => ports.settings(),
    // Not even a part of the AppKey.
    profiles: () =>
      ports.profiles().map(({ id, kind, name, liveUrl, messagingUrl, secret }) => ({
        id,
        kind,
        name,
        liveUrl,
        messagingUrl,
        kept: secret,
      })),
    service: () => ports.service.state(),
    serviceLog: () => ports.service.lines(),
    appLog: () => ports.log(),
    listeners,
    obs: () => {
      const { password, ...obs } = ports.obs.state()
      return { ...obs, kept: password }
    },
    data: () => ports.folder(),
    keychain: () => ({ backend: backends[ports.system().platform] ?? 'none', ...ports.vault }),
    health,
  }

  const partOf = async (about: SupportAbout): Promise<SupportPart> => {
    const file = files[about]
    let found: unknown
    try {
      found = await gather[about]()
    } catch (error) {
      found = { fault: reasonOf(error) }
    }
    const { value, removed } = redactor.value(found)
    if (!file.endsWith('.txt')) {
      const text = `${JSON.stringify(value, null, 2)}\n`
      return { about, file, text: text.slice(0, maxPart), removed, cut: text.length > maxPart }
    }
    const lines = value as readonly string[]
    let from = lines.length
    for (let size = 0; from > 0; from--) {
      size += (lines[from - 1]?.length ?? 0) + 1
      if (size > maxPart) break
    }
    return {
      about,
      file,
      text: lines
        .slice(from)
        .map((line) => `${line}\n`)
        .join(''),
      removed,
      cut: from > 0,
    }
  }

  return {
    bundle: async (): Promise<SupportBundle> => {
      const made = clock.now()
      const parts: SupportPart[] = []
      for (const about of Object.keys(files) as SupportAbout[]) parts.push(await partOf(about))
      const stamp = new Date(made).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
      return { made, name: `sidestage-support-${stamp}`, parts }
    },
  }
}
